import { withinMs } from '../browser/page-timers.ts';
import { ValueStore } from '../value-store.ts';

/** Two tones that neither browsers nor mail programs use. */
const TONES_HZ = [880, 660];
const REPEATS = 3;
const TONE_S = 0.14;
const PAUSE_S = 0.22;

type AudioWindow = Pick<typeof globalThis, 'AudioContext'>;

/** The sound of a new alarm. Browsers block it until the operator clicks. Its methods never reject. */
export class AlarmSound {
  readonly state = new ValueStore<'unused' | 'ready' | 'blocked' | 'missing'>('unused');
  readonly #window: AudioWindow;
  #context: AudioContext | undefined;

  constructor(window: AudioWindow) {
    this.#window = window;
  }

  /** @returns whether the page may sound */
  async prepare(): Promise<boolean> {
    if (!this.#window.AudioContext) {
      this.state.set('missing');
      return false;
    }
    let context: AudioContext;
    try {
      context = this.#context ??= new this.#window.AudioContext();
    } catch {
      // A browser without a device for sounds may refuse.
      this.state.set('missing');
      return false;
    }
    if (context.state !== 'running') {
      // The promise is pending until the operator clicks.
      const resumed = context.resume().catch(() => undefined);
      await withinMs(resumed, 300);
    }
    // TypeScript does not know that `resume` changes the state.
    const isRunning = (context.state as AudioContextState) === 'running';
    this.state.set(isRunning ? 'ready' : 'blocked');
    return isRunning;
  }

  /** @returns whether the browser played it */
  async play(): Promise<boolean> {
    if (!(await this.prepare()) || !this.#context) return false;
    const context = this.#context;
    let at = context.currentTime + 0.02;
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      for (const hz of TONES_HZ) {
        playTone(context, hz, at);
        at += TONE_S;
      }
      at += PAUSE_S;
    }
    return true;
  }
}

function playTone(context: AudioContext, hz: number, at: number): void {
  const tone = context.createOscillator();
  const volume = context.createGain();
  tone.frequency.value = hz;
  // The volume rises and falls within 10 ms, so that the tone does not crackle.
  volume.gain.setValueAtTime(0, at);
  volume.gain.linearRampToValueAtTime(0.35, at + 0.01);
  volume.gain.setValueAtTime(0.35, at + TONE_S - 0.01);
  volume.gain.linearRampToValueAtTime(0, at + TONE_S);
  tone.connect(volume).connect(context.destination);
  tone.start(at);
  tone.stop(at + TONE_S);
}
