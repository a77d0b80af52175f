import 'server-only';
import { PASSWORD_MAX_LENGTH } from '#lib/api/people/session-messages.ts';

const PASSWORD_MIN_LENGTH = 12;
/** For an attacker with lists and keyboard patterns. */
const GUESSES_MIN = 1e9;
/** More takes long, and no common password is as long. */
const ESTIMATED_MAX_CHARACTERS = 48;

/** As a sentence. No composition rules (NIST SP 800-63B, 3.1.1.2; OWASP ASVS 5.0, 6.2). */
export async function passwordProblem(password: string, name: string): Promise<string | undefined> {
  const length = [...password].length;
  if (length < PASSWORD_MIN_LENGTH) return `The password must have at least ${PASSWORD_MIN_LENGTH} characters.`;
  if (length > PASSWORD_MAX_LENGTH) return `The password must have at most ${PASSWORD_MAX_LENGTH} characters.`;
  const lower = password.toLowerCase();
  if (name.length >= 3 && lower.replaceAll(name.toLowerCase(), '').length < PASSWORD_MIN_LENGTH / 2) {
    return 'The password is little more than the name: choose a different one.';
  }
  // Punctuation between its characters does not improve a common one.
  const letters = password.replaceAll(/[^\p{L}\p{N}]/gu, '');
  for (const text of letters.length < PASSWORD_MIN_LENGTH ? [password] : [password, letters]) {
    if (await isCommon(text, name)) return 'The password is too common: choose a less predictable one.';
  }
  return undefined;
}

async function isCommon(password: string, name: string): Promise<boolean> {
  estimator ??= loadEstimator();
  const { guesses } = (await estimator).check(password.slice(0, ESTIMATED_MAX_CHARACTERS), [name, 'lookout']);
  return guesses < GUESSES_MIN;
}

let estimator: ReturnType<typeof loadEstimator> | undefined;

/** Takes 10 MB and 0.2 s, so it is loaded on demand. */
async function loadEstimator() {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
}
