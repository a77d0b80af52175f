/** The version of the index of places, which has folded names: increment it when its tables or the folding change. */
export const PLACE_INDEX_VERSION = 1;

/** Letters that Unicode does not decompose. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ŧ: 't',
};

/** The name in lower case, without diacritics or apostrophes, with single spaces. Folding again changes nothing. */
export function foldedName(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\p{M}'’‘ʻʼ`]/gu, '')
    .replace(/[ßæœøłđðþħıŧ]/g, (letter) => PLAIN[letter]!)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
