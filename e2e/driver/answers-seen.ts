import type { Page } from '@playwright/test';
import type { LiveAnswer } from '#lib/api/live-answer.ts';

/** What the page asked of `/api/live` and was answered, from the beginning. */
export class AnswersSeen {
  readonly #asked: URL[] = [];
  readonly #answers: LiveAnswer[] = [];

  constructor(page: Page) {
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname === '/api/live') this.#asked.push(url);
    });
    page.on('response', (response) => {
      if (new URL(response.url()).pathname !== '/api/live' || !response.ok()) return;
      // A page that is left takes its bodies along.
      response.json().then(
        (answer: LiveAnswer) => this.#answers.push(answer),
        () => undefined,
      );
    });
  }

  get askedCount(): number {
    return this.#asked.length;
  }

  lastAsked(): URL | undefined {
    return this.#asked.at(-1);
  }

  last(): LiveAnswer | undefined {
    return this.#answers.at(-1);
  }
}
