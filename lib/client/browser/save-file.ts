const TAKEN_AFTER_MS = 10_000;

export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has opened the file by then.
  setTimeout(() => URL.revokeObjectURL(address), TAKEN_AFTER_MS);
}
