/** UTF-8, UTF-16, or else Windows-1252, as in OpenAir files. */
export function decoded(bytes: Uint8Array): { readonly text: string; readonly isUtf: boolean } {
  const [first, second] = bytes;
  const utf16 =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
  try {
    return { text: new TextDecoder(utf16 ?? 'utf-8', { fatal: true }).decode(bytes), isUtf: true };
  } catch {
    return { text: new TextDecoder('windows-1252').decode(bytes), isUtf: false };
  }
}
