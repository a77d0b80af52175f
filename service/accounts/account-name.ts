export const ACCOUNT_NAME_MAX_LENGTH = 64;

/** Nothing that terminals obey, hide or break a line at. */
const form = /^[\p{L}\p{N}\p{P}\p{S}](?:[\p{L}\p{M}\p{N}\p{P}\p{S}]| (?! ))*$/u;

/** In one Unicode form; `undefined` if empty, too long, or with invisible characters. */
export function readName(text: string): string | undefined {
  if (!text.isWellFormed()) return undefined;
  const name = text.normalize('NFC');
  const fits =
    [...name].length <= ACCOUNT_NAME_MAX_LENGTH && form.test(name) && !name.endsWith(' ') && !name.startsWith('-');
  return fits ? name : undefined;
}

/** Equal for names that differ only in case or width. */
export function foldName(name: string): string {
  return name.normalize('NFKC').toLowerCase().normalize('NFC');
}
