/** Of accounts and keys: longer ones break tables and logs. */
export const ACCOUNT_NAME_MAX_LENGTH = 64;

/** Letters of any script, digits, signs and single spaces: nothing that a terminal obeys, hides or breaks a line at. */
const form = /^[\p{L}\p{N}\p{P}\p{S}](?:[\p{L}\p{M}\p{N}\p{P}\p{S}]| (?! ))*$/u;

/** The name in one Unicode form; `undefined` if it is empty, too long, or has characters that cannot be seen. */
export function readName(text: string): string | undefined {
  if (!text.isWellFormed()) return undefined;
  const name = text.normalize('NFC');
  const fits =
    [...name].length <= ACCOUNT_NAME_MAX_LENGTH && form.test(name) && !name.endsWith(' ') && !name.startsWith('-');
  return fits ? name : undefined;
}

/** Names that differ in case or width only are the same one. */
export function foldName(name: string): string {
  return name.normalize('NFKC').toLowerCase().normalize('NFC');
}
