import { z } from 'zod';
import { type RunningChild, startChild } from './child-process.ts';
import type { HostOrder, HostReport, ServiceAddress } from './service-host.ts';

export interface ServiceSetting {
  /** Command line options of `serve` that choose the source, the prefix and the allowance. */
  readonly options?: readonly string[];
  readonly apiKey?: string;
}

export interface Fault {
  readonly kind: string;
  readonly [setting: string]: unknown;
}

const requestsSchema = z.array(z.object({ received_at: z.string(), operation: z.string(), query: z.string() }));

export type ReceivedRequest = z.infer<typeof requestsSchema>[number];

/** The positions service, in a process beside this one, with its fault switches. */
export class RunningService {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly #controlUrl: string;
  readonly #host: ServiceHost;
  readonly #id: number;

  constructor(host: ServiceHost, id: number, { baseUrl, apiKey, controlUrl = '' }: ServiceAddress) {
    this.#host = host;
    this.#id = id;
    this.baseUrl = baseUrl;
    this.apiKey = apiKey;
    this.#controlUrl = controlUrl;
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

  /** What it has logged so far. */
  log(): string {
    return this.#host.logOf(this.#id);
  }

  async stop(): Promise<void> {
    await this.#host.send({ id: this.#id, kind: 'stop' });
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

/** The process of all services that this process starts. It ends with this one. */
class ServiceHost {
  readonly #child: RunningChild;
  readonly #waiting = new Map<number, (report: HostReport) => void>();
  readonly #logs = new Map<number, string[]>();

  constructor() {
    this.#child = startChild(['e2e/running/service-host.ts'], {}, ['ignore', 'ignore', 'pipe', 'ipc']);
    const { process } = this.#child;
    process.on('message', (report: HostReport) => {
      if (report.kind === 'logged') this.#log(report.id).push(report.entry);
      else this.#waiting.get(report.id)?.(report);
    });
    process.unref();
    process.channel?.unref();
  }

  logOf(id: number): string {
    return this.#log(id).join('\n');
  }

  /** @throws Error with the problem, or with what the process wrote if it has ended */
  async send(order: HostOrder): Promise<HostReport> {
    const { channel } = this.#child.process;
    channel?.ref();
    const report = await Promise.race([
      new Promise<HostReport>((resolve) => {
        this.#waiting.set(order.id, resolve);
        this.#child.process.send(order);
      }),
      this.#child.exited.then((code) => {
        throw new Error(`the process of the services ended with ${code}:\n${this.#child.stderr()}`);
      }),
    ]);
    this.#waiting.delete(order.id);
    if (this.#waiting.size === 0) channel?.unref();
    if (report.kind === 'failed') throw new Error(report.problem);
    return report;
  }

  #log(id: number): string[] {
    const log = this.#logs.get(id) ?? [];
    this.#logs.set(id, log);
    return log;
  }
}

let host: ServiceHost | undefined;
let started = 0;

export async function startService({ options = [], apiKey }: ServiceSetting = {}): Promise<RunningService> {
  host ??= new ServiceHost();
  const id = ++started;
  const report = await host.send({ id, kind: 'start', options, ...(apiKey !== undefined && { apiKey }) });
  if (report.kind !== 'ready') throw new Error(`a service that was started reports ${report.kind}`);
  return new RunningService(host, id, report.service);
}
