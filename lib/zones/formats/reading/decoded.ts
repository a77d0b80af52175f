import type { ImportProblem } from '../import-result.ts';

export interface Decoded {
  readonly text: string;
  /** Of bytes that are not in the declared encoding or, without one, in UTF-8. `text` is then read as Windows-1252. */
  readonly problem?: ImportProblem;
  /** The file declares another encoding than it has. */
  readonly isMisdeclared?: boolean;
}

const DECLARATION = /^\s*<\?xml\s[^>]{0,200}?\bencoding\s*=\s*["']([\w.:-]{1,40})["']/;

/** By the byte order mark, the first bytes, the XML declaration, or else UTF-8. Never throws. */
export function decoded(bytes: Uint8Array): Decoded {
  const label = utf16Of(bytes);
  const declared = label ? undefined : declaredIn(bytes);
  // A declaration that is readable as ASCII is not in UTF-16 (XML 1.0, 4.3.3).
  const isMisdeclared = /^(utf-?16|ucs-?2|utf-?32)/i.test(declared ?? '');
  const encoding = label ?? (isMisdeclared ? undefined : declared) ?? 'utf-8';
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(encoding, { fatal: true });
  } catch {
    const problem = `declares the encoding ${encoding}, which this browser does not know; save the file in UTF-8`;
    return { text: asWindows1252(bytes), problem: { place: 'The file', problem } };
  }
  try {
    return { text: decoder.decode(bytes), isMisdeclared };
  } catch {
    const until = new TextDecoder(encoding).decode(bytes).split('\uFFFD', 1).join('');
    const place = `Line ${until.split('\n').length}`;
    const name = encoding.toUpperCase();
    const problem =
      declared === undefined || isMisdeclared
        ? `has bytes that are no ${name}, and the file declares no other encoding; save it in UTF-8`
        : `has bytes that are no ${name}, which the file declares; save it in UTF-8`;
    return { text: asWindows1252(bytes), problem: { place, problem } };
  }
}

function asWindows1252(bytes: Uint8Array): string {
  return new TextDecoder('windows-1252').decode(bytes);
}

/** Every format begins with an ASCII character. */
function utf16Of([first, second]: Uint8Array): string | undefined {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0 && second !== undefined)
    ? 'utf-16be'
    : undefined;
}

function declaredIn(bytes: Uint8Array): string | undefined {
  return DECLARATION.exec(asWindows1252(bytes.subarray(0, 400)).replace(/^\u00EF\u00BB\u00BF/, ''))?.[1];
}
