import 'server-only';
import { PASSWORD_MAX_LENGTH } from '#lib/api/session.ts';

const PASSWORD_MIN_LENGTH = 12;

/** Long words from lists of common passwords, without digits and punctuation. */
const commonWords = [
  'password',
  'passwort',
  'letmein',
  'welcome',
  'administrator',
  'qwertyuiop',
  'iloveyou',
  'changeme',
  'lookout',
];
const runs = [
  '0123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  '1q2w3e4r5t6z7u8i9o0p',
  '1q2w3e4r5t6y7u8i9o0p',
];

/**
 * Why a password cannot be used, as a sentence; `undefined` where it can. Only length and commonness count: there are no
 * composition rules (NIST SP 800-63B, 3.1.1.2; OWASP ASVS 5.0, 6.2).
 */
export function passwordProblem(password: string, name: string): string | undefined {
  const length = [...password].length;
  if (length < PASSWORD_MIN_LENGTH) return `The password must have at least ${PASSWORD_MIN_LENGTH} characters.`;
  if (length > PASSWORD_MAX_LENGTH) return `The password must have at most ${PASSWORD_MAX_LENGTH} characters.`;
  const lower = password.toLowerCase();
  if (name.length >= 3 && lower.replaceAll(name.toLowerCase(), '').length < PASSWORD_MIN_LENGTH / 2) {
    return 'The password is little more than the name: choose a different one.';
  }
  if (isCommon(lower)) return 'The password is too common: choose a less predictable one.';
  return undefined;
}

/** Whether almost nothing is left without common words, keyboard runs and repetitions. */
function isCommon(lower: string): boolean {
  let rest = lower;
  for (const word of commonWords) rest = rest.replaceAll(word, '');
  rest = rest.replace(/(.+?)\1{2,}/g, '$1');
  return rest.length < PASSWORD_MIN_LENGTH / 2 || new Set(rest).size < 4 || isRun(rest);
}

function isRun(text: string): boolean {
  const letters = text.replace(/[^\p{L}\p{N}]/gu, '');
  if (letters === '') return false;
  return runs.some(
    (run) => `${run}${run}`.includes(letters) || [...`${run}${run}`].reverse().join('').includes(letters),
  );
}
