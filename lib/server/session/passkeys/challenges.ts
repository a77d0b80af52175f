import 'server-only';
import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type LocalInstant, msBetween } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { addressBlock } from '../address-block.ts';

/** How long somebody may take to answer. */
export const CHALLENGE_MAX_MS = 5 * MINUTE_MS;
const CHALLENGE_BYTES = 32;
/** Unanswered challenges that are kept, of all … */
const KEPT_MAX = 20_000;
/** … and of one sender, of which the oldest go first: a flood from one address takes nobody else's away. */
const KEPT_OF_ADDRESS_MAX = 64;

/** What the answer is for: one that was signed for one purpose serves no other. */
export type ChallengePurpose = 'sign-in' | 'confirm' | 'register';

export interface ChallengeFor {
  readonly purpose: ChallengePurpose;
  /** The browser or session that asked; only there it can be answered. */
  readonly owner: string;
}

interface Kept extends ChallengeFor {
  readonly madeAt: LocalInstant;
}

/** Challenges that wait for their answer, each good for one. They are in memory: after a restart, people ask again. */
export class Challenges {
  readonly #now: () => LocalInstant;
  readonly #kept = new LRUCache<string, Kept>({ max: KEPT_MAX });
  readonly #ofAddress = new LRUCache<string, string[]>({ max: KEPT_MAX });

  constructor(now: () => LocalInstant) {
    this.#now = now;
  }

  /** @returns 256 random bits in base64url */
  make(purpose: ChallengePurpose, owner: string, address: string): string {
    const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
    const block = addressBlock(address);
    const own = [...(this.#ofAddress.get(block) ?? []).filter((other) => this.#kept.has(other)), challenge];
    for (const oldest of own.splice(0, own.length - KEPT_OF_ADDRESS_MAX)) this.#kept.delete(oldest);
    this.#ofAddress.set(block, own);
    this.#kept.set(challenge, { purpose, owner, madeAt: this.#now() });
    return challenge;
  }

  /** Whether it was made for this and is not too old; from then on it is used up, whatever comes of the answer. */
  take(challenge: string, { purpose, owner }: ChallengeFor): boolean {
    const kept = this.#kept.get(challenge);
    if (!kept || kept.owner !== owner) return false;
    this.#kept.delete(challenge);
    const ageMs = msBetween(kept.madeAt, this.#now());
    return kept.purpose === purpose && ageMs >= 0 && ageMs < CHALLENGE_MAX_MS;
  }
}
