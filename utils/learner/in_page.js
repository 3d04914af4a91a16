// What is above a place is drawn only as it comes near, and pushes it away: so go there until it stays, or until the
// reader takes over. The notice is for a run that ends out of sight, as Run All does; it goes when its place is seen.
(() => {
if (window.courseStopped) return;
const stay = (find, block) => {
  let left = 20;
  const leave = () => { left = 0; };
  for (const kind of ['wheel', 'keydown', 'pointerdown']) addEventListener(kind, leave, {once: true, capture: true});
  const step = () => {
    if (left-- <= 0) return;
    find()?.scrollIntoView({block});
    setTimeout(step, 100);
  };
  step();
};
document.addEventListener('click', event => {
  const link = event.target.closest?.('a[href^="#Exercise"]');
  const notebook = link?.closest('.jp-Notebook');
  if (!notebook) return;
  const name = CSS.escape(decodeURIComponent(link.hash.slice(1)));
  const find = () => notebook.querySelector(`[data-jupyter-id="${name}"], #${name}`);
  if (find()) event.preventDefault();
  setTimeout(() => stay(find, 'start'));
});
window.courseStopped = (output, words, time) => {
  document.getElementById('course-stopped')?.remove();
  const place = output.closest('.jp-OutputArea');
  if (!place || Date.now() - time > 60000) return;
  const watch = new IntersectionObserver(([seen]) => {
    document.getElementById('course-stopped')?.remove();
    if (seen.isIntersecting) watch.disconnect();
    else document.body.append(notice());
  });
  const notice = () => {
    const box = document.createElement('div'), show = document.createElement('button');
    const close = document.createElement('button');
    box.id = 'course-stopped';
    box.role = 'status';
    box.style = 'position:fixed;right:3em;bottom:3em;z-index:1000;max-width:44em;padding:.7em 1em;border-radius:6px;'
      + 'background:#24292f;color:#fff;border:2px solid #a87400;font:14px/1.5 system-ui,sans-serif';
    show.textContent = 'Show where';
    close.textContent = 'Close';
    for (const button of [show, close])
      button.style = 'margin-left:.8em;padding:0 .6em;border:0;background:#fff;color:#111;font:inherit';
    show.onclick = () => stay(() => place, 'center');
    close.onclick = () => { watch.disconnect(); box.remove(); };
    box.append(words, show, close);
    return box;
  };
  watch.observe(place);
};
})()
