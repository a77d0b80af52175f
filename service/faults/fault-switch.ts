import type { OperationId } from '#lib/contract/operation.ts';
import { type Fault, type FaultSetting, faultSchema } from './fault.ts';

export interface FaultSwitch {
  /** Throws a ZodError if the setting is invalid. */
  set(setting: FaultSetting): void;
  clear(): void;
  take(operation: OperationId): Fault | undefined;
}

export function makeFaultSwitch(): FaultSwitch {
  let current: Fault | undefined;
  let taken = 0;
  return {
    set(setting) {
      current = faultSchema.parse(setting);
      taken = 0;
    },
    clear() {
      current = undefined;
    },
    take(operation) {
      if (current === undefined || (current.operation !== null && current.operation !== operation)) return undefined;
      if (current.times !== null && taken >= current.times) return undefined;
      taken += 1;
      return current;
    },
  };
}
