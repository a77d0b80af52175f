/** Keeps cookies of that host. */
export class BrowserAtProvider {
  readonly #cookies = new Map<string, string>();

  /**
   * @param who login name; `undefined` refuses
   * @param home address of ours
   * @returns where the provider sends the browser back to
   */
  async signIn(address: URL, who: string | undefined, home: string): Promise<URL> {
    let at = address;
    for (let steps = 0; steps < 10; steps++) {
      if (at.href.startsWith(home)) return at;
      const answer = await this.#open(at);
      const location = answer.headers.get('location');
      if (location !== null) {
        at = new URL(location, at);
        continue;
      }
      const page = await answer.text();
      if (!page.includes('name="login"')) throw new Error(`the provider answered ${answer.status}: ${page}`);
      const typed = await this.#open(at, who === undefined ? { refuse: '1' } : { login: who });
      at = new URL(typed.headers.get('location') ?? '', at);
    }
    throw new Error('the provider leads in a circle');
  }

  async #open(address: URL, form?: Readonly<Record<string, string>>): Promise<Response> {
    const answer = await fetch(address, {
      redirect: 'manual',
      headers: { cookie: [...this.#cookies].map((pair) => pair.join('=')).join('; ') },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const at = pair.indexOf('=');
      this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return answer;
  }
}
