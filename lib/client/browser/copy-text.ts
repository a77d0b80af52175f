export type CopyOutcome = 'copied' | 'refused';

/** Call it in the handler of a click or key, or browsers refuse. It never rejects. */
export async function copyText(text: string): Promise<CopyOutcome> {
  try {
    // `clipboard` is undefined over plain HTTP; that throws, as a refusal does.
    await navigator.clipboard.writeText(text);
    return 'copied';
  } catch {
    return copyByCommand(text) ? 'copied' : 'refused';
  }
}

/** Works over plain HTTP too. The page's selection and focus stay. */
function copyByCommand(text: string): boolean {
  let isCopied = false;
  const put = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    event.stopImmediatePropagation();
    isCopied = event.clipboardData !== null;
  };
  document.addEventListener('copy', put, { capture: true });
  try {
    return document.execCommand('copy') && isCopied;
  } catch {
    return false;
  } finally {
    document.removeEventListener('copy', put, { capture: true });
  }
}
