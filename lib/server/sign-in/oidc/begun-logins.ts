import 'server-only';
import { createHmac } from 'node:crypto';
import { sealData, unsealData } from 'iron-session';
import { z } from 'zod';
import { epochMs, type LocalInstant, localInstant, msBetween } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { LoginChecks } from './oidc-provider.ts';

export const LOGIN_MAX_MS = 10 * MINUTE_MS;
/** Browsers refuse cookies above 4096 bytes with name and attributes. */
const SEALED_MAX_LENGTH = 3600;

export interface BegunLogin extends LoginChecks {
  readonly next: string;
  readonly begunAt: LocalInstant;
}

const beginningsSchema = z.strictObject({
  logins: z.array(
    z.strictObject({
      state: z.string(),
      nonce: z.string(),
      codeVerifier: z.string(),
      next: z.string(),
      begunAt: z.number().transform(localInstant),
    }),
  ),
  refused: z.string().optional(),
});

export interface Beginnings {
  /** The newest login is last. */
  readonly logins: readonly BegunLogin[];
  readonly refused: string | undefined;
}

export type LoginCookies = string | readonly string[] | undefined;

/** A sign-in ends only in the browser that began it. Each tab may have one. */
export class BegunLogins {
  readonly #secret: string;
  readonly #now: () => LocalInstant;

  /** @param secret of session cookies; these use a derived one */
  constructor(secret: string, now: () => LocalInstant) {
    this.#secret = secret;
    this.#now = now;
  }

  async read(cookies: LoginCookies): Promise<Beginnings> {
    const logins = new Map<string, BegunLogin>();
    let refused: string | undefined;
    for (const sealed of [cookies ?? []].flat()) {
      const parsed = beginningsSchema.safeParse(await unsealData<unknown>(sealed, { password: this.#password }));
      if (!parsed.success) continue;
      refused ??= parsed.data.refused;
      const now = this.#now();
      for (const login of parsed.data.logins) {
        const ageMs = msBetween(login.begunAt, now);
        if (ageMs >= 0 && ageMs < LOGIN_MAX_MS) logins.set(login.state, login);
      }
    }
    return { logins: [...logins.values()], refused };
  }

  /** Drops the oldest sign-ins if the cookie would be too long. */
  async sealed({ logins, refused }: Beginnings): Promise<string | undefined> {
    if (logins.length === 0 && refused === undefined) return undefined;
    const content = { logins: logins.map((login) => ({ ...login, begunAt: epochMs(login.begunAt) })), refused };
    const sealed = await sealData(content, { password: this.#password });
    return sealed.length <= SEALED_MAX_LENGTH || logins.length <= 1
      ? sealed
      : this.sealed({ logins: logins.slice(1), refused });
  }

  get #password(): string {
    return createHmac('sha256', this.#secret).update('logins begun at the provider').digest('base64url');
  }
}
