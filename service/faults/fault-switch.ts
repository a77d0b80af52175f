import type { OperationId } from '#lib/contract/operation.ts';
import { type Fault, type FaultSetting, faultSchema } from './fault.ts';

export interface TakenFault {
  readonly fault: Fault;
  /** Aborts when the fault is cleared or replaced. */
  readonly over: AbortSignal;
}

export interface FaultSwitch {
  /** Throws a ZodError if the setting is invalid. */
  set(setting: FaultSetting): void;
  clear(): void;
  take(operation: OperationId): TakenFault | undefined;
}

export function makeFaultSwitch(): FaultSwitch {
  let current: Fault | undefined;
  let taken = 0;
  let ending = new AbortController();
  const replace = (fault: Fault | undefined) => {
    current = fault;
    taken = 0;
    ending.abort();
    ending = new AbortController();
  };
  return {
    set(setting) {
      replace(faultSchema.parse(setting));
    },
    clear() {
      replace(undefined);
    },
    take(operation) {
      if (current === undefined || (current.operation !== null && current.operation !== operation)) return undefined;
      if (current.times !== null && taken >= current.times) return undefined;
      taken += 1;
      return { fault: current, over: ending.signal };
    },
  };
}
