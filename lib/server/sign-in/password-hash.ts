import 'server-only';
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import PQueue from 'p-queue';

/** OWASP Password Storage: argon2id with 19 MiB, two passes, one lane. */
const COST = { memoryKiB: 19_456, passes: 2, lanes: 1 } as const;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
/** More threads, of 19 MiB each, would slow the map down. */
const HASHES_AT_ONCE = 2;

const derive = promisify(argon2);
const hashing = new PQueue({ concurrency: HASHES_AT_ONCE });
const HASHES_WAITING_MAX = 2000;

/** Then a stranger's password is not compared. */
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

/** Bounded, so that a damaged row cannot allocate gigabytes. */
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
