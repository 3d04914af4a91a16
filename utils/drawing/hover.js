var r=this,t=r.lastElementChild,e=event.target,d=e.dataset||{},s='';
if(d.cells){var c=e.cells||(e.cells=JSON.parse(d.cells)),b=e.getBoundingClientRect(),
at=function(p,n){return Math.max(0,Math.min(n-1,Math.floor(p*n)))},
j=at((event.clientX-b.left)/b.width,c.x.length),i=at((event.clientY-b.top)/b.height,c.y.length);
if(c.z[i][j]!==null)s=c.t.replace(/%\{(\w+)\}/g,function(m,k){return k=='x'?c.x[j]:k=='y'?c.y[i]:c[k][i][j]})}
else{var k=e.querySelector(':scope>title');if(k){d.say=k.textContent;k.remove()}s=d.say||''}
t.textContent=s;t.hidden=!s;
if(s){var q=r.getBoundingClientRect();
t.style.left=Math.max(0,Math.min(event.clientX-q.left+12,q.width-t.offsetWidth-4))+'px';
t.style.top=event.clientY-q.top+16+'px'}
