import { plainWords } from './words.ts';

/** As `shortName`, in Unicode characters. */
const NAME_MAX_LENGTH = 80;

/** Refused by `shortName`. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]+/gu;

/** Cuts long names before their part. */
export function zoneNames(wanted: readonly { readonly name: string; readonly part: string }[]): readonly string[] {
  const taken = new Set<string>();
  const repeats = new Map<string, number>();
  return wanted.map(({ name, part }) => {
    const plain = plainName(name);
    const first = fitted(plain, part);
    let unique = first;
    let count = repeats.get(first) ?? 1;
    while (taken.has(unique)) {
      count += 1;
      unique = fitted(plain, `${part} (${count})`);
    }
    repeats.set(first, count);
    taken.add(unique);
    return unique;
  });
}

function plainName(name: string): string {
  const plain = plainWords(name)
    .replaceAll(UNPRINTABLE, ' ')
    .normalize('NFC')
    .replaceAll(/\p{Zs}+/gu, ' ')
    .trim();
  return plain === '' ? 'Zone' : plain;
}

function fitted(name: string, suffix: string): string {
  const room = NAME_MAX_LENGTH - [...suffix].length;
  const characters = [...name];
  return characters.length <= room
    ? `${name}${suffix}`
    : `${characters
        .slice(0, room - 1)
        .join('')
        .trimEnd()}…${suffix}`;
}
