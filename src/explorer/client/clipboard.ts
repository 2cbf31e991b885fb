/** Copies text to the clipboard; returns false if the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  // Pages of other hosts over plain HTTP have no `navigator.clipboard`.
  if (!window.isSecureContext) return copySelected(text);
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}

function copySelected(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.className = 'visually-hidden';
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
