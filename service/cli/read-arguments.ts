import { parseArgs } from 'node:util';

export type OptionTable = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;

export interface ValueForm<Value> {
  readonly parse: (text: string) => Value | undefined;
  /** A hint: what to write instead. */
  readonly instead: string;
}

/** Collects all problems, each with what to write instead. */
export class CommandArguments<Options extends OptionTable = OptionTable> {
  readonly problems: string[] = [];
  readonly #given = new Map<string, string>();
  readonly #flags = new Set<string>();
  readonly #positionals: string[] = [];

  /** @param operand for example `NAME`; '' for none */
  constructor(command: string, operand: string, options: Options, args: readonly string[]) {
    const { tokens } = parseArgs({ args: this.#withValues(args, options), options, strict: false, tokens: true });
    for (const token of tokens) {
      if (token.kind === 'positional') this.#positionals.push(token.value);
      if (token.kind !== 'option') continue;
      const { name, rawName, value } = token;
      const definition = Object.hasOwn(options, name) ? options[name] : undefined;
      if (definition === undefined) {
        this.problems.push(`${rawName} is unknown: write one of --${Object.keys(options).join(', --')}`);
      } else if (this.has(name)) {
        this.problems.push(`--${name} is given twice: write it once`);
      } else if (definition.type === 'boolean') {
        if (value !== undefined) this.problems.push(`--${name} takes no value: write --${name} alone`);
        this.#flags.add(name);
      } else {
        this.#given.set(name, value ?? '');
      }
    }
    for (const extra of this.#positionals.slice(operand === '' ? 0 : 1)) {
      this.problems.push(
        operand === ''
          ? `${extra}: leave it out, ${command} takes options only`
          : `${extra}: leave it out, ${command} takes one ${operand}; one with spaces is written in quotes`,
      );
    }
  }

  /** parseArgs would take the next option for a missing value. */
  #withValues(args: readonly string[], options: Options): string[] {
    return args.filter((arg, index) => {
      const name = arg.slice(2);
      if (!arg.startsWith('--') || !Object.hasOwn(options, name) || options[name]?.type !== 'string') return true;
      const next = args[index + 1];
      const nextName = next?.startsWith('--') ? (next.slice(2).split('=')[0] as string) : undefined;
      if (next !== undefined && (nextName === undefined || !Object.hasOwn(options, nextName))) return true;
      this.problems.push(`--${name} needs a value: write --${name} VALUE`);
      this.#flags.add(name);
      return false;
    });
  }

  has(name: keyof Options & string): boolean {
    return this.#given.has(name) || this.#flags.has(name);
  }

  flag(name: keyof Options & string): boolean {
    return this.#flags.has(name);
  }

  value<Value>(name: keyof Options & string, form: ValueForm<Value>): Value | undefined {
    const text = this.#given.get(name);
    return text === undefined ? undefined : this.#read(`--${name} ${text}`, text, form);
  }

  required<Value>(name: keyof Options & string, form: ValueForm<Value>): Value | undefined {
    if (!this.has(name)) this.problems.push(`--${name} is missing: ${form.instead}`);
    return this.value(name, form);
  }

  operand<Value>(form: ValueForm<Value>): Value | undefined {
    const text = this.#positionals[0];
    if (text === undefined) {
      this.problems.push(`a name is missing: ${form.instead}`);
      return undefined;
    }
    return this.#read(text, text, form);
  }

  #read<Value>(what: string, text: string, { parse, instead }: ValueForm<Value>): Value | undefined {
    const value = parse(text);
    // As JSON where a terminal would obey or hide a part.
    if (value === undefined) this.problems.push(`${/\p{C}/u.test(what) ? JSON.stringify(what) : what}: ${instead}`);
    return value;
  }
}
