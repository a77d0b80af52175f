import 'server-only';
import { createHmac } from 'node:crypto';
import { sealData, unsealData } from 'iron-session';
import { z } from 'zod';
import { epochMs, type LocalInstant, localInstant, msBetween } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import type { LoginChecks } from './oidc-provider.ts';

/** How long the person may take at the provider. */
export const LOGIN_MAX_MS = 10 * MINUTE_MS;
/** Browsers refuse a cookie of more than 4096 bytes with its name and attributes. */
const SEALED_MAX_LENGTH = 3600;

/** A sign-in that this browser began and has not ended. */
export interface BegunLogin extends LoginChecks {
  /** A path of our own. */
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

/** A browser's state of single sign-on before it has a session. */
export interface Beginnings {
  /** The newest last. */
  readonly logins: readonly BegunLogin[];
  /** The name of the person who was refused last. */
  readonly refused: string | undefined;
}

/** The cookie of a browser, or those of one name that it sent. */
export type LoginCookies = string | readonly string[] | undefined;

/**
 * The sign-ins that a browser began, in a sealed cookie of its own: a sign-in ends in the browser that began it, or not at all.
 * There may be several, one for each tab.
 */
export class BegunLogins {
  readonly #secret: string;
  readonly #now: () => LocalInstant;

  /** @param secret that seals session cookies; these are sealed with another derived from it, so that neither passes as the other */
  constructor(secret: string, now: () => LocalInstant) {
    this.#secret = secret;
    this.#now = now;
  }

  /** The content of the cookies, without expired sign-ins. Cookies that we did not seal count as empty. */
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

  /**
   * The oldest sign-ins are forgotten where the cookie would be too long.
   * @returns `undefined` where there is nothing to keep
   */
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
