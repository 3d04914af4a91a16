"""What a notebook's page needs once for the course's figures: a style and a small script, shown by the set-up cell.

Figures can be read without it. With it they take the page's own ink instead of a grey that holds on every ground, and
each has a role and its words for who can't see it: plotly gives its pictures neither.
"""

# The words over colours, in cells and in bars, keep the ink that was chosen for their ground.
_TEXTS = (
    "[class$=tick] text,[class$=title],[class$=title] text,.legendtext,.annotation-text,"
    ".textpoint text,.bartext-outside"
)
INK = "var(--jp-content-font-color1,var(--vscode-editor-foreground,#767676))"
STYLE = f"""
.js-plotly-plot :is({_TEXTS}){{fill:{INK}!important}}
[data-jp-theme-light=false] .js-plotly-plot .heatmaplayer,
[data-jp-theme-light=false] .js-plotly-plot:has(.hm) .cbfills{{filter:invert(.93) hue-rotate(180deg)}}
img.plot-img{{max-width:100%}}
.js-plotly-plot .modebar{{opacity:0;transition:opacity .15s}}
.js-plotly-plot:hover .modebar,.js-plotly-plot:focus-within .modebar{{opacity:1}}
.jp-OutputArea-output .js-plotly-plot{{max-width:none}}
"""
# JupyterLab shows a stored figure as a picture, img.plot-img, until it is drawn: both get the words of the layout.
SCRIPT = """
(function(){
if(window.courseFigures)return;window.courseFigures=true;
var words=function(plot){var layout=plot.layout||plot._fullLayout||{},meta=layout.meta||{};
 return meta.words||(layout.title&&(layout.title.text||layout.title))||'A figure'};
var name=function(){
 document.querySelectorAll('.js-plotly-plot').forEach(function(plot){
  var drawn=plot.querySelector('.main-svg');  // the buttons above it are no part of the picture
  if(!plot.layout||!drawn)return;
  plot.querySelectorAll('svg').forEach(function(svg){svg.setAttribute('aria-hidden','true')});
  plot.querySelectorAll('.modebar-btn').forEach(function(button){
   button.setAttribute('aria-label',button.dataset.title||'')});
  drawn.removeAttribute('aria-hidden');drawn.setAttribute('role','img');
  drawn.setAttribute('aria-label',String(words(plot)).replace(/<[^>]*>/g,' '))});
 document.querySelectorAll('img.plot-img:not([alt])').forEach(function(img){
  var box=img.closest('.jp-OutputArea-output')||img.parentElement,plot=box&&box.querySelector('.js-plotly-plot');
  img.alt=plot&&plot.layout?words(plot):'A figure: run the cell to draw it'})};
var waits=0;
new MutationObserver(function(){clearTimeout(waits);waits=setTimeout(name,150)})
 .observe(document.body,{childList:true,subtree:true});
name();
})()
"""
HTML = f"<style>{STYLE}</style><script>{SCRIPT}</script>"
