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

  /** Memory in use after a garbage collection, in MB: objects and their buffers. */
  async usedMb(): Promise<number> {
    await this.#send('HeapProfiler.collectGarbage');
    const { usedSize, backingStorageSize } = (await this.#send('Runtime.getHeapUsage')) as {
      usedSize: number;
      /** Bytes of buffers, such as answers in compact form. Not included in usedSize. */
      backingStorageSize: number;
    };
    return Math.round((usedSize + backingStorageSize) / 1e5) / 10;
  }

  close(): void {
    this.#socket.close();
  }

  #send(method: string): Promise<unknown> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#socket.send(JSON.stringify({ id, method }));
    });
  }
}
