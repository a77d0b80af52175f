import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { ZoneShape } from '#lib/zones/zone.ts';
import type { AlarmSound } from '../alarms/alarm-sound.ts';
import { type ReadValue, ValueStore } from '../value-store.ts';
import type { PermitSubject } from './permit-draft.ts';
import type { ZoneDraft } from './zone-draft.ts';

/** A command for the map. It is dropped while nothing is drawn. */
export type DrawingCommand = 'finish' | 'undo';

/** The pages of the tab about zones. */
type ZonesPageName = 'zones' | 'alarms' | 'permits' | 'log' | 'hand-over';

/** The row of a zone, or of one of its alarms. */
export interface WatchedRow {
  readonly zone: string;
  readonly alarm?: string | undefined;
}

/**
 * The work of an operator on zones and alarms that is not sent yet, and which of their pages is open. It outlives the
 * panels, which are drawn again when the window changes between panel and sheet.
 */
export class ZoneDesk {
  readonly #draft = new ValueStore<ZoneDraft | undefined>(undefined);
  /** The zone that is written, while its form is open. */
  readonly draft: ReadValue<ZoneDraft | undefined> = this.#draft;
  readonly #sketch = new ValueStore<ZoneShape | undefined>(undefined);
  /** The shape that the operator is drawing. */
  readonly sketch: ReadValue<ZoneShape | undefined> = this.#sketch;
  readonly #page = new ValueStore<ZonesPageName>('zones');
  readonly page: ReadValue<ZonesPageName> = this.#page;
  /** Shapes of a file before its import. */
  readonly preview = new ValueStore<readonly ZoneShape[]>([]);
  /** A note for the next shift that is being written. */
  readonly handOverText = new ValueStore('');
  /** The alarm whose details are open. */
  readonly openAlarm = new ValueStore<string | undefined>(undefined);
  readonly answers = new AlarmAnswers();
  /** The subject of the permit that is written, while its form is open. */
  readonly permitting = new ValueStore<PermitSubject | undefined>(undefined);
  /** The ids of alarms that are selected for an action on several; `undefined` while none are to be selected. */
  readonly selection = new ValueStore<ReadonlySet<string> | undefined>(undefined);
  /** Set by the key that goes to the first new alarm; the list of alarms clears it. */
  readonly isAlarmWanted = new ValueStore(false);
  /** The id of the zone or alarm whose row takes the focus; the row clears it. */
  readonly wantedRow = new ValueStore<string | undefined>(undefined);
  readonly #tabsWanted = new ValueStore(0);
  /** Counts requests to show the tab. */
  readonly tabsWanted: ReadValue<number> = this.#tabsWanted;
  readonly sound: AlarmSound;
  #listener: ((command: DrawingCommand) => void) | undefined;

  constructor(sound: AlarmSound) {
    this.sound = sound;
  }

  /** The list of zones, which has the saved one, follows its form. */
  startDraft(draft: ZoneDraft): void {
    this.showPage('zones');
    this.#draft.set(draft);
  }

  /** Changes the draft. It does nothing without one. */
  change(by: (draft: ZoneDraft) => ZoneDraft): void {
    const draft = this.#draft.get();
    if (draft) this.#draft.set(by(draft));
  }

  readonly showSketch = (shape: ZoneShape | undefined): void => this.#sketch.set(shape);

  /** Call it after the zone was saved, or the operator gave it up. */
  endDraft(): void {
    this.stopDrawing();
    this.#draft.set(undefined);
  }

  /** @returns whether a drawing was ended */
  stopDrawing(): boolean {
    if (!this.draft.get()?.isDrawing) return false;
    this.#sketch.set(undefined);
    this.change((draft) => ({ ...draft, isDrawing: false }));
    return true;
  }

  /** The tab itself may be closed: `openAlarms` opens it too. */
  readonly showPage = (page: ZonesPageName): void => this.#page.set(page);

  openAlarms(): void {
    this.showPage('alarms');
    this.#tabsWanted.set(this.#tabsWanted.get() + 1);
  }

  /** Opens the tab at the alarm, or at the zone. */
  openRow({ zone, alarm }: WatchedRow): void {
    if (alarm !== undefined) this.openAlarm.set(alarm);
    // The form of a zone hides the lists.
    if (this.draft.get() === undefined) this.wantedRow.set(alarm ?? zone);
    this.showPage(alarm === undefined ? 'zones' : 'alarms');
    this.#tabsWanted.set(this.#tabsWanted.get() + 1);
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

/** A decision on an alarm that an operator is writing. */
export interface AlarmAnswer {
  readonly doing: 'acknowledging' | 'closing';
  /** For how many minutes an acknowledgement holds, or until the alarm ends. */
  readonly until: 'end' | '15' | '60' | '480';
  readonly as: NonNullable<Alarm['closed']>['as'];
  readonly comment: string;
}

const NEW: Omit<AlarmAnswer, 'doing'> = { until: 'end', as: 'handled', comment: '' };

/** Answers that are being written, by the alarm's row. */
class AlarmAnswers {
  readonly #rows = new ValueStore<ReadonlyMap<string, AlarmAnswer>>(new Map());
  readonly subscribe = this.#rows.subscribe;

  of(row: string): AlarmAnswer | undefined {
    return this.#rows.get().get(row);
  }

  begin(row: string, doing: AlarmAnswer['doing']): void {
    this.#rows.set(new Map(this.#rows.get()).set(row, { ...NEW, doing }));
  }

  change(row: string, part: Partial<AlarmAnswer>): void {
    const before = this.of(row);
    if (before) this.#rows.set(new Map(this.#rows.get()).set(row, { ...before, ...part }));
  }

  end(row: string): void {
    const rows = new Map(this.#rows.get());
    rows.delete(row);
    this.#rows.set(rows);
  }
}
