// Lints the names that code declares or uses, by the words that writing.md's readers stop at. Names with an underscore come
// from the contract, the HTTP API or a table, where other programs and stored data know them, and are left alone.
import { parseSync, Visitor } from 'oxc-parser';
import { lineFinder } from './prose-blocks.ts';

interface BrokenName {
  readonly line: number;
  readonly name: string;
  readonly instead: string;
}

interface NameRule {
  readonly instead: string;
  readonly breaks: (name: string, isFunction: boolean) => boolean;
}

const NAME_RULES: readonly NameRule[] = [
  {
    instead: 'name the action: received, reported, notified, impaired',
    breaks: (name) => hasWord(name, /^(heard|unheard|hear|hears|told|tell|tells)$/),
  },
  {
    instead: 'name the role: anonymous, signed out, other',
    breaks: (name) => hasWord(name, /^(nobody|somebody|whoever|whomever)$/),
  },
  { instead: 'again, rarely, in advance', breaks: (name) => hasWord(name, /^(anew|seldom|beforehand)$/) },
  {
    instead: 'name the result, not its alternative',
    breaks: (name, isFunction) => isFunction && /^or[A-Z]/.test(name),
  },
  { instead: 'name what it reads or checks', breaks: (name, isFunction) => isFunction && name === 'look' },
];

/** Each broken name once, at its first place in the file. */
export function brokenNames(file: string, source: string): readonly BrokenName[] {
  const { program } = parseSync(file, source);
  const starts = new Map<string, number>();
  const functions = new Set<string>();
  const add = ({ name, start }: { readonly name: string; readonly start: number }) => {
    if (!starts.has(name)) starts.set(name, start);
  };
  new Visitor({
    Identifier: add,
    PrivateIdentifier: add,
    JSXIdentifier: add,
    CallExpression({ callee }) {
      if (callee.type === 'Identifier') functions.add(callee.name);
      else if (callee.type === 'MemberExpression' && !callee.computed) functions.add(callee.property.name);
    },
    FunctionDeclaration({ id }) {
      if (id) functions.add(id.name);
    },
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && init?.type === 'ArrowFunctionExpression') functions.add(id.name);
    },
    MethodDefinition({ key }) {
      if (key.type === 'Identifier') functions.add(key.name);
    },
  }).visit(program);
  const lineOf = lineFinder(source);
  return [...starts].flatMap(([name, start]) =>
    NAME_RULES.filter(({ breaks }) => !isFixed(name) && breaks(name, functions.has(name))).map(({ instead }) => ({
      line: lineOf(start),
      name,
      instead,
    })),
  );
}

/** `last_heard_at`, but no constant such as `HEARD_MS`. */
function isFixed(name: string): boolean {
  return name.includes('_') && name === name.toLowerCase();
}

function hasWord(name: string, word: RegExp): boolean {
  return name
    .replaceAll(/([a-z\d])(?=[A-Z])/g, '$1_')
    .toLowerCase()
    .split('_')
    .some((each) => word.test(each));
}
