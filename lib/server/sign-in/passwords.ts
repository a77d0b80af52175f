// Passwords of operators: which ones are accepted, and their argon2id hashes, of which a few are computed at a time.
import 'server-only';
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import PQueue from 'p-queue';
import { PASSWORD_MAX_LENGTH } from '#lib/api/people/session-messages.ts';

/** OWASP Password Storage: argon2id with 19 MiB, two passes, one lane. */
const COST = { memoryKiB: 19_456, passes: 2, lanes: 1 } as const;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
/** More threads, of 19 MiB each, would slow the map down. */
const HASHES_AT_ONCE = 2;

const derive = promisify(argon2);
const hashing = new PQueue({ concurrency: HASHES_AT_ONCE });
const HASHES_WAITING_MAX = 2000;

/** Whether too many hashes wait: then a stranger's password is not compared. */
export function isHashingBusy(): boolean {
  return hashing.size >= HASHES_WAITING_MAX;
}

interface Parameters {
  readonly memoryKiB: number;
  readonly passes: number;
  readonly lanes: number;
}

function argon2id(password: string, salt: Buffer, cost: Parameters, priority: number): Promise<Buffer> {
  return hashing.add(
    () =>
      derive('argon2id', {
        message: password.normalize('NFKC'),
        nonce: salt,
        parallelism: cost.lanes,
        tagLength: TAG_BYTES,
        memory: cost.memoryKiB,
        passes: cost.passes,
      }),
    { priority },
  );
}

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await argon2id(password, salt, COST, 0);
  const cost = `m=${COST.memoryKiB},t=${COST.passes},p=${COST.lanes}`;
  return `$argon2id$v=19$${cost}$${unpadded(salt)}$${unpadded(tag)}`;
}

/** The costs are bounded, so that a damaged row cannot allocate gigabytes. */
export const phcPattern =
  /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;

/** @param priority the highest is compared next */
export async function passwordMatches(password: string, phc: string, priority = 0): Promise<boolean> {
  const match = phcPattern.exec(phc);
  if (!match) return false;
  const [, memoryKiB, passes, lanes, salt, tag] = match as unknown as [string, string, string, string, string, string];
  const cost = { memoryKiB: Number(memoryKiB), passes: Number(passes), lanes: Number(lanes) };
  const derived = await argon2id(password, Buffer.from(salt, 'base64'), cost, priority);
  return timingSafeEqual(derived, Buffer.from(tag, 'base64'));
}

const PASSWORD_MIN_LENGTH = 12;
/** The guesses that an attacker with lists and keyboard patterns needs at least. */
const GUESSES_MIN = 1e9;
/** Estimating more characters takes long, and no common password is as long. */
const ESTIMATED_MAX_CHARACTERS = 48;

/**
 * Why a password is refused, as a sentence. There are no composition rules (NIST SP 800-63B, 3.1.1.2; OWASP ASVS 5.0,
 * 6.2).
 */
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

/** Loads the estimator on demand, since it takes 10 MB and 0.2 s. */
async function loadEstimator() {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
}
