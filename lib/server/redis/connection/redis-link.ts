import 'server-only';
import { failureOf, RedisErrorReply, RedisFailure } from './redis-failure.ts';
import type { RedisAddress } from './redis-target.ts';

export type RedisArgument = string | Buffer;

export interface RedisLogin {
  readonly tls: boolean;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly database?: number;
}

type Driver = typeof import('@redis/client');
type Client = ReturnType<typeof newClient>;

/**
 * One connection to one server, from the first byte to the last: it never reconnects, queues nothing, and sends nothing again. The driver
 * bounds no wait for an answer, so that is done here.
 */
export class RedisLink {
  /** Resolves with the reason when the connection has broken or was destroyed. */
  readonly ended: Promise<Error>;
  readonly #driver: Driver;
  readonly #client: Client;
  readonly #bytesClient: Pick<Client, 'sendCommand'>;
  #end: (reason: Error) => void = () => undefined;

  private constructor(driver: Driver, client: Client) {
    this.#driver = driver;
    this.#client = client;
    this.#bytesClient = client.withTypeMapping({ [driver.RESP_TYPES.BLOB_STRING]: Buffer }) as unknown as Client;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    client.on('error', (error: Error) => this.#end(error));
    client.on('end', () => this.#end(new Error('the connection was closed')));
  }

  /** @throws RedisFailure if there is no connection after that time */
  static async open(address: RedisAddress, login: RedisLogin, timeoutMs: number): Promise<RedisLink> {
    // Only where there is a shared store: it is a third of what `npm run operator` loads.
    const driver = await import('@redis/client');
    const client = newClient(driver, address, login, timeoutMs);
    const link = new RedisLink(driver, client);
    try {
      await within(timeoutMs, client.connect());
      return link;
    } catch (error) {
      link.destroy();
      throw link.#failure(error);
    }
  }

  /**
   * @param asBytes strings of the answer are buffers
   * @throws RedisFailure, or an error reply of the server that means a mistake of ours
   */
  async send(args: readonly RedisArgument[], timeoutMs: number, asBytes = false): Promise<unknown> {
    try {
      return await within(timeoutMs, (asBytes ? this.#bytesClient : this.#client).sendCommand<unknown>(args));
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** @throws RedisFailure */
  async subscribe(channel: string, onMessage: (message: string) => void, timeoutMs: number): Promise<void> {
    try {
      await within(timeoutMs, this.#client.subscribe(channel, onMessage));
    } catch (error) {
      throw this.#failure(error);
    }
  }

  #failure(error: unknown): unknown {
    return failureOf(error instanceof this.#driver.ErrorReply ? new RedisErrorReply(error.message) : error);
  }

  /** At once: what was sent and not answered fails. */
  destroy(): void {
    if (this.#client.isOpen) this.#client.destroy();
    this.#end(new Error('the connection was closed'));
  }
}

let template: ReturnType<typeof newTemplate> | undefined;

function newClient(
  driver: Driver,
  { host, port }: RedisAddress,
  { tls, user, password, database }: RedisLogin,
  timeoutMs: number,
) {
  template ??= newTemplate(driver);
  const socket = { host, port, connectTimeout: timeoutMs, reconnectStrategy: false as const };
  return template.duplicate({
    socket: tls ? { ...socket, tls: true as const } : socket,
    ...(user === undefined ? {} : { username: user }),
    ...(password === undefined ? {} : { password }),
    ...(database === undefined ? {} : { database }),
  });
}

/**
 * Never connected: the driver makes a class of all commands for each set of options that it is given, which takes milliseconds where a duplicate
 * takes none, and a store that is away is tried several times a second.
 */
function newTemplate({ createClient }: Driver) {
  return createClient({
    name: 'lookout',
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    // The driver's own limit ends when a command is written, and is a timer more for each.
    commandOptions: { timeout: 0 },
  });
}

async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const onLate = () => reject(new RedisFailure('slow', `no answer within ${timeoutMs} ms`, true));
    // What has arrived while this process stood still is read before the immediate.
    timer = setTimeout(() => setImmediate(onLate), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    // Whoever waited for it has had its error.
    work.catch(() => undefined);
  }
}
