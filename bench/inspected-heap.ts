/** After a collection, in MB. */
export interface UsedMemory {
  readonly heapMb: number;
  /** Of the heap, what the engine has compiled: it grows as functions run often enough, and shrinks as they do not. */
  readonly compiledMb: number;
  /** Outside of the heap: buffers, such as answers in compact form. */
  readonly buffersMb: number;
}

const COMPILED_BYTES = `process.getBuiltinModule('node:v8').getHeapSpaceStatistics()
  .filter(({ space_name }) => /^(code|trusted)_/.test(space_name))
  .reduce((sum, { space_used_size }) => sum + space_used_size, 0)`;

/** Reads the memory of a Node process through its inspector. */
export class InspectedHeap {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, { resolve: (result: unknown) => void; reject: (reason: Error) => void }>();
  #lastId = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const { id, result, error } = JSON.parse(String(data)) as { id?: number; result?: unknown; error?: unknown };
      const waiting = id === undefined ? undefined : this.#waiting.get(id);
      if (id === undefined || !waiting) return;
      this.#waiting.delete(id);
      if (error === undefined) waiting.resolve(result);
      else waiting.reject(new Error(`the inspector refused: ${JSON.stringify(error)}`));
    });
    socket.addEventListener('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the inspected process has gone'));
    });
  }

  /** @param stderr standard error of a process that was started with `--inspect=127.0.0.1:0` */
  static async connect(stderr: string): Promise<InspectedHeap> {
    const url = /^Debugger listening on (ws:\S+)/m.exec(stderr)?.[1];
    if (url === undefined) throw new Error('the process has not announced an inspector');
    const socket = new WebSocket(url);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve(), { once: true });
      socket.addEventListener('error', () => reject(new Error(`cannot connect to ${url}`)), { once: true });
    });
    return new InspectedHeap(socket);
  }

  /** Memory in use after a garbage collection. */
  async used(): Promise<UsedMemory> {
    await this.#send('HeapProfiler.collectGarbage');
    const { usedSize, backingStorageSize } = (await this.#send('Runtime.getHeapUsage')) as {
      usedSize: number;
      backingStorageSize: number;
    };
    const { result } = (await this.#send('Runtime.evaluate', { expression: COMPILED_BYTES })) as {
      result: { value: number };
    };
    return { heapMb: inMb(usedSize), compiledMb: inMb(result.value), buffersMb: inMb(backingStorageSize) };
  }

  close(): void {
    this.#socket.close();
  }

  #send(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }
}

function inMb(bytes: number): number {
  return Math.round(bytes / 1e4) / 100;
}
