import type { ZoneShape } from '#lib/zones/zone.ts';
import { AlarmAnswers } from '../alarms/alarm-answer.ts';
import { ValueStore } from '../value-store.ts';
import type { ZoneDraft } from './zone-draft.ts';

/** Dropped while nothing is drawn. */
export type DrawingCommand = 'finish' | 'undo';

export class ZoneDesk {
  readonly draft = new ValueStore<ZoneDraft | undefined>(undefined);
  /** Unfinished. */
  readonly sketch = new ValueStore<ZoneShape | undefined>(undefined);
  readonly page = new ValueStore<'zones' | 'alarms' | 'log'>('zones');
  /** Of a file before its import. */
  readonly preview = new ValueStore<readonly ZoneShape[]>([]);
  /** The alarm whose details are open. */
  readonly openAlarm = new ValueStore<string | undefined>(undefined);
  readonly answers = new AlarmAnswers();
  /** Counts requests to show the alarms. */
  readonly alarmsWanted = new ValueStore(0);
  #listener: ((command: DrawingCommand) => void) | undefined;

  change(by: (draft: ZoneDraft) => ZoneDraft): void {
    const draft = this.draft.get();
    if (draft) this.draft.set(by(draft));
  }

  /** @returns whether a drawing was ended */
  stopDrawing(): boolean {
    if (!this.draft.get()?.isDrawing) return false;
    this.sketch.set(undefined);
    this.change((draft) => ({ ...draft, isDrawing: false }));
    return true;
  }

  openAlarms(): void {
    this.page.set('alarms');
    this.alarmsWanted.set(this.alarmsWanted.get() + 1);
  }

  readonly listen = (listener: (command: DrawingCommand) => void): (() => void) => {
    this.#listener = listener;
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  };

  /** @returns whether the map is drawing */
  run(command: DrawingCommand): boolean {
    if (!this.draft.get()?.isDrawing) return false;
    this.#listener?.(command);
    return true;
  }
}
