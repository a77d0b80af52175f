export interface ReferenceParts {
  /** All but the digits; the whole reference if it has another form. */
  readonly prefix: string;
  readonly hasDigits: boolean;
  /** The digits as a 64-bit integer, in two halves. */
  readonly high: number;
  readonly low: number;
}

const DIGITS = 16;
/** `-A-` or `-D-` before the digits. */
const LETTER_LENGTH = 3;

/** Splits a reference `<PFX>-[AD]-[0-9A-F]{16}` (the contract's Position: public_track_id). Accepts any other text. */
export function referenceParts(ref: string): ReferenceParts {
  const digitsAt = ref.length - DIGITS;
  const high = hexNumber(ref, digitsAt);
  const low = hexNumber(ref, digitsAt + DIGITS / 2);
  if (digitsAt < LETTER_LENGTH || high < 0 || low < 0 || !endsWithLetter(ref, digitsAt)) {
    return { prefix: ref, hasDigits: false, high: 0, low: 0 };
  }
  return { prefix: ref.slice(0, digitsAt), hasDigits: true, high, low };
}

export function referenceText(prefix: string, high: number, low: number): string {
  return prefix + hexText(high) + hexText(low);
}

function endsWithLetter(ref: string, end: number): boolean {
  const letter = ref[end - 2];
  return ref[end - 1] === '-' && ref[end - 3] === '-' && (letter === 'A' || letter === 'D');
}

/** Parses eight hexadecimal digits; −1 if they are not. */
function hexNumber(text: string, start: number): number {
  let number = 0;
  for (let at = start; at < start + DIGITS / 2; at++) {
    const code = text.charCodeAt(at);
    if (code >= 48 && code <= 57) number = number * 16 + code - 48;
    else if (code >= 65 && code <= 70) number = number * 16 + code - 55;
    else return -1;
  }
  return number;
}

const fourDigits: string[] = [];

/** Looks up four digits at a time, because each answer formats thousands of references. */
function hexText(number: number): string {
  return digitsOf(number >>> 16) + digitsOf(number & 0xffff);
}

function digitsOf(number: number): string {
  fourDigits[number] ??= number.toString(16).toUpperCase().padStart(4, '0');
  return fourDigits[number] as string;
}
