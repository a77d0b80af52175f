import { ChangeListeners } from './change-listeners.ts';

export class ValueStore<T> {
  readonly #listeners = new ChangeListeners();
  readonly subscribe = this.#listeners.subscribe;
  #value: T;

  constructor(initial: T) {
    this.#value = initial;
  }

  readonly get = (): T => this.#value;

  readonly set = (value: T): void => {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    this.#listeners.notify();
  };
}
