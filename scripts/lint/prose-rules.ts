interface ProseRule {
  readonly name: string;
  readonly instead: string;
  readonly breaks: (sentence: string) => boolean;
  /** Labels may be phrases such as “What the marks mean”. */
  readonly sparesLabels?: true;
}

const WORDS_MAX = 30;
const matches = (pattern: RegExp) => (sentence: string) => pattern.test(sentence);
const wordCount = (sentence: string) => sentence.match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;

const PROSE_RULES: readonly ProseRule[] = [
  {
    name: 'clause as subject',
    instead: 'name the thing: “Snapshots expire”',
    breaks: (sentence) =>
      /^(What|Who|Whoever|Whatever|Whichever)\s+(?!if\b|about\b)\p{L}/u.test(sentence) && !sentence.endsWith('?'),
    sparesLabels: true,
  },
  {
    name: 'no role',
    instead: 'name the role: operator, viewer, admin, caller, client, server',
    breaks: matches(/\b(nobody|somebody|whoever|whomever)\b/i),
  },
  {
    name: 'told or asked',
    instead: 'name the action: reports, requests, receives, shows',
    breaks: matches(/\b(is|are|was|were|be|been|being)\s+(told|asked|heard|said|spoken)\b/i),
  },
  {
    name: 'beside',
    instead: 'next to, in addition to, outside, while … runs',
    breaks: matches(/\bbeside\b/i),
  },
  {
    name: 'translated word',
    instead: 'again, rarely, in advance, back and forth …',
    breaks: matches(
      /\b(anew|seldom|beforehand|thereby|therein|hitherto|thence|whence|likewise|lest|of no consequence|to and fro|in vain)\b/i,
    ),
  },
  {
    name: 'as it stands',
    instead: 'state it directly: the current account, unchanged',
    breaks: matches(/\bas (it|they) (came|stands?|was|were)(?=[.,;:)]|$)|\bhow (it|they) stands?\b/i),
  },
  {
    name: 'long sentence',
    instead: `split it: at most ${WORDS_MAX} words`,
    breaks: (sentence) => wordCount(sentence) > WORDS_MAX,
  },
];

export function brokenRules(sentence: string, isLabel = false): readonly ProseRule[] {
  return PROSE_RULES.filter(({ breaks, sparesLabels }) => !(isLabel && sparesLabels) && breaks(sentence));
}
