import { expect } from 'vitest';
import { errorAnswerSchema } from '#lib/api/error-code.ts';
import { accountAnswerSchema, peopleSchema } from '#lib/api/people/account.ts';
import { type Answer, ask, sessionCookie } from './api-requests.ts';
import type { HereOperator } from './lookout-here.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';

interface Place {
  readonly url: string;
  readonly operators: readonly HereOperator[];
}

export function passwordOf({ operators }: Place, name: string): string {
  const operator = operators.find((each) => each.name === name);
  if (!operator) throw new Error(`no operator ${name}`);
  return operator.password;
}

/** Requests of one browser, with the cookie of its session. */
export class ApiClient {
  readonly #url: string;
  cookie = '';

  constructor({ url }: { readonly url: string }) {
    this.#url = url;
  }

  static async signedIn(place: Place, name: string, password = passwordOf(place, name)): Promise<ApiClient> {
    const client = new ApiClient(place);
    expect(await client.signIn(name, password)).toBe('204');
    return client;
  }

  async ask(method: string, path: string, body?: object): Promise<Answer> {
    const headers = { origin: this.#url, 'user-agent': FIREFOX, cookie: this.cookie };
    const answer = await ask(`${this.#url}${path}`, { method, headers, body });
    this.cookie = sessionCookie(answer) || this.cookie;
    return answer;
  }

  /** @returns status and code of a refusal */
  async tries(method: string, path: string, body?: object): Promise<string> {
    const { status, text, json } = await this.ask(method, path, body);
    if (status < 400 || !text.startsWith('{')) return String(status);
    return `${status} ${errorAnswerSchema.parse(json()).error.code}`;
  }

  signIn(name: string, password: string): Promise<string> {
    return this.tries('POST', '/api/session', { name, password });
  }

  async account() {
    return accountAnswerSchema.parse((await this.ask('GET', '/api/account')).json());
  }

  async people() {
    return peopleSchema.parse((await this.ask('GET', '/api/admin/people')).json()).people;
  }
}
