// A button behind the block of text before this script, which copies it, or selects it where a page may not copy.
{
const text = document.currentScript.previousElementSibling;
const button = document.createElement('button');
button.textContent = 'Copy';
button.onclick = async () => {
  try {
    await navigator.clipboard.writeText(text.textContent);
    button.textContent = 'Copied';
  } catch {
    getSelection().selectAllChildren(text);
  }
};
text.after(button);
}
