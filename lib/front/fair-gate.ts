export interface FairGateLimits {
  readonly atOnce: number;
  readonly atOnceOfSender: number;
  readonly waitingOfSender: number;
  /** How many requests may start in this turn of the event loop; 0 waits for the next one. Default: 1. */
  readonly startsNow?: () => number;
}

interface Sender {
  running: number;
  readonly waiting: Set<() => void>;
}

/** Senders take turns. Few requests start per turn of the event loop, which answers other arrivals in between. */
export class FairGate {
  readonly #limits: FairGateLimits;
  readonly #senders = new Map<string, Sender>();
  #running = 0;
  #isScheduled = false;

  constructor(limits: FairGateLimits) {
    this.#limits = limits;
  }

  /** @returns how to leave, whether the request runs or still waits; `undefined` if too many of the sender wait */
  enter(sender: string, start: () => void): (() => void) | undefined {
    const own = this.#senders.get(sender) ?? { running: 0, waiting: new Set() };
    if (own.waiting.size >= this.#limits.waitingOfSender) return undefined;
    this.#senders.set(sender, own);
    let hasStarted = false;
    let hasLeft = false;
    const run = () => {
      hasStarted = true;
      start();
    };
    own.waiting.add(run);
    this.#schedule();
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      if (hasStarted) {
        own.running--;
        this.#running--;
      } else own.waiting.delete(run);
      if (own.running === 0 && own.waiting.size === 0) this.#senders.delete(sender);
      this.#schedule();
    };
  }

  #schedule(): void {
    if (this.#isScheduled || this.#running >= this.#limits.atOnce || this.#senders.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      let starts = this.#limits.startsNow?.() ?? 1;
      if (starts === 0) this.#schedule();
      while (starts > 0 && this.#running < this.#limits.atOnce && this.#startNext()) starts--;
    });
  }

  /** @returns whether a request could start */
  #startNext(): boolean {
    for (const [name, sender] of this.#senders) {
      const [run] = sender.waiting;
      if (!run || sender.running >= this.#limits.atOnceOfSender) continue;
      sender.waiting.delete(run);
      sender.running++;
      this.#running++;
      this.#senders.delete(name);
      this.#senders.set(name, sender);
      this.#schedule();
      run();
      return true;
    }
    return false;
  }
}
