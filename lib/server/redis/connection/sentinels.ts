import 'server-only';
import { RedisFailure } from './redis-failure.ts';
import { RedisLink } from './redis-link.ts';
import { addressText, type RedisAddress } from './redis-target.ts';

/**
 * The Sentinels of one group, each asked on a connection of its own. More than half of all must name the same primary: whoever is cut off with a
 * primary that the others have replaced does not hear it from the few on the same side.
 */
export class Sentinels {
  readonly #group: string;
  readonly #addresses: readonly RedisAddress[];
  readonly #tls: boolean;
  readonly #timeoutMs: number;
  readonly #links = new Map<RedisAddress, RedisLink>();

  constructor(group: string, addresses: readonly RedisAddress[], tls: boolean, timeoutMs: number) {
    this.#group = group;
    this.#addresses = addresses;
    this.#tls = tls;
    this.#timeoutMs = timeoutMs;
  }

  /** @throws RedisFailure where most of them do not agree in time */
  async primary(): Promise<RedisAddress> {
    const answers = await Promise.all(this.#addresses.map((each) => this.#ask(each)));
    const votes = new Map<string, number>();
    for (const answer of answers) {
      if (answer === undefined) continue;
      const text = addressText(answer);
      votes.set(text, (votes.get(text) ?? 0) + 1);
      if (2 * (votes.get(text) ?? 0) > this.#addresses.length) return answer;
    }
    const said = [...votes].map(([address, count]) => `${count} name ${address}`).join(', ') || 'none answers';
    throw new RedisFailure('lost', `of ${this.#addresses.length} Sentinels, ${said}: most have to agree`, false);
  }

  close(): void {
    for (const link of this.#links.values()) link.destroy();
    this.#links.clear();
  }

  async #ask(address: RedisAddress): Promise<RedisAddress | undefined> {
    let link = this.#links.get(address);
    try {
      if (link === undefined) {
        const opened = await RedisLink.open(address, { tls: this.#tls }, this.#timeoutMs);
        link = opened;
        this.#links.set(address, opened);
        void opened.ended.then(() => {
          if (this.#links.get(address) === opened) this.#links.delete(address);
        });
      }
      const answer = await link.send(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', this.#group], this.#timeoutMs);
      if (!Array.isArray(answer)) return undefined;
      const [host, port] = answer as [string, string];
      return { host, port: Number(port) };
    } catch {
      // It has no vote, whatever the reason.
      link?.destroy();
      return undefined;
    }
  }
}
