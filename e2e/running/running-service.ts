import { createInterface } from 'node:readline';
import { z } from 'zod';
import { type RunningChild, startChild } from './child-process.ts';

export interface ServiceSetting {
  /** Command line options of `serve`, besides the port and the control listener. */
  readonly options?: readonly string[];
  readonly apiKey?: string;
}

export interface Fault {
  readonly kind: string;
  readonly [setting: string]: unknown;
}

const readySchema = z.object({ base_url: z.string(), api_key: z.string(), control_url: z.string() });
const requestsSchema = z.array(z.object({ received_at: z.string(), operation: z.string(), query: z.string() }));

export type ReceivedRequest = z.infer<typeof requestsSchema>[number];

/** The positions service in its own process, with its fault switches. */
export class RunningService {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly #controlUrl: string;
  readonly #child: RunningChild;

  constructor(child: RunningChild, ready: z.infer<typeof readySchema>) {
    this.#child = child;
    this.baseUrl = ready.base_url;
    this.apiKey = ready.api_key;
    this.#controlUrl = ready.control_url;
  }

  /** Sets the fault and clears the recorded requests: those recorded from now on meet the fault. */
  async breakWith(fault: Fault): Promise<void> {
    await this.#control('PUT', '/fault', fault);
    await this.forgetRequests();
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

  stderr(): string {
    return this.#child.stderr();
  }

  stop(): Promise<void> {
    return this.#child.stop();
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
  const child = startChild(
    ['service/cli.ts', 'serve', '--port', '0', '--control', '--exit-with-parent', ...options],
    apiKey === undefined ? {} : { SERVICE_API_KEY: apiKey },
    ['pipe', 'pipe', 'pipe'],
  );
  const { stdout } = child.process;
  if (!stdout) throw new Error('the service has no standard output');
  const ready = await Promise.race([
    new Promise<string>((resolve) => createInterface({ input: stdout }).once('line', resolve)),
    child.exited.then((code) => Promise.reject(new Error(`the service ended with ${code}:\n${child.stderr()}`))),
  ]);
  return new RunningService(child, readySchema.parse(JSON.parse(ready)));
}
