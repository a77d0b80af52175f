import { z } from 'zod';
import { countStart } from '../../scripts/test/costs.ts';
import type { ServiceAddress } from './fixture-server.ts';
import { fixtureServer } from './fixture-server-process.ts';

export interface ServiceSetting {
  readonly options?: readonly string[];
  readonly apiKey?: string;
}

export interface Fault {
  readonly kind: string;
  readonly [setting: string]: unknown;
}

const requestsSchema = z.array(z.object({ received_at: z.string(), operation: z.string(), query: z.string() }));

export type ReceivedRequest = z.infer<typeof requestsSchema>[number];

export class RunningService {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly #controlUrl: string;
  readonly #started: number;

  /** @param started number of the order that started it */
  constructor(started: number, { baseUrl, apiKey, controlUrl = '' }: ServiceAddress) {
    this.#started = started;
    this.baseUrl = baseUrl;
    this.apiKey = apiKey;
    this.#controlUrl = controlUrl;
  }

  /** Clears the recorded requests: later ones meet the fault. */
  async breakWith(fault: Fault): Promise<void> {
    await this.#control('PUT', '/fault', fault);
  }

  async mend(): Promise<void> {
    await this.#control('DELETE', '/fault');
  }

  async forgetRequests(): Promise<void> {
    await this.#control('DELETE', '/requests');
  }

  /** Oldest first. */
  async requests(): Promise<readonly ReceivedRequest[]> {
    return requestsSchema.parse(await (await this.#control('GET', '/requests')).json());
  }

  async requestsFor(operation: 'live_rid' | 'live_adsb'): Promise<readonly ReceivedRequest[]> {
    return (await this.requests()).filter((request) => request.operation === operation);
  }

  log(): string {
    return fixtureServer().log(this.#started);
  }

  async stop(): Promise<void> {
    await fixtureServer().obey({ kind: 'stop-service', started: this.#started });
  }

  async #control(method: string, path: string, body?: object): Promise<Response> {
    const answer = await fetch(`${this.#controlUrl}${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    if (!answer.ok)
      throw new Error(`${method} ${path} of the control listener: ${answer.status} ${await answer.text()}`);
    return answer;
  }
}

export async function startService({ options = [], apiKey }: ServiceSetting = {}): Promise<RunningService> {
  const { number, service } = await countStart('service', () =>
    fixtureServer().obey({ kind: 'start-service', options, apiKey }),
  );
  if (service === undefined) throw new Error('a service was started, and has no address');
  return new RunningService(number, service);
}
