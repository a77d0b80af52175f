'use client';

import { type ReactNode, useEffect, useRef, useState } from 'react';
import { isNonLatin, positionOf } from '#lib/client/browser/pressed-key.ts';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { CONFIDENCE_EXAMPLES, SYMBOL_EXAMPLES } from '../legend/symbol-examples.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Key } from '../ui/tooltip.tsx';
import { HELP_TOPICS, isFound } from './help-topics.ts';
import { SHORTCUT_GROUPS, SHORTCUTS, type ShortcutGroup } from './shortcuts.ts';
import type { HelpTopic } from './topic-of-path.ts';

interface HelpSheetProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** Where it opens; `undefined`: at its beginning. */
  readonly topic: HelpTopic | undefined;
}

const PROMISES = [
  'Only received positions are drawn, each where it was received. A mark moves when a new position arrives; nothing is interpolated.',
  'Age is always visible. A mark fades, becomes a hollow outline when it expires, and is removed later. Ages follow the service’s clock.',
  'A value that was not reported is “not reported”, never 0, and an empty field in exports.',
  'A gap stays a gap: in trails, charts, replays and exports.',
  'Empty, not requested, refused, limited and failed look different. No screen calls an area clear.',
  'A failure does not empty the map: earlier positions continue to age, and the reason is shown.',
  'A view or replay that is not complete shows which part is missing.',
  'Simulated traffic and test broadcasts are tagged on the map, in the table and in every export, and never counted as real.',
  'A filter always shows how many of the received tracks it leaves.',
  'A track reference rotates: it may change while the same aircraft or drone is still received. Two references are never joined.',
  'Where the service counts requests, a replay shows its price before it loads. Loaded once, it costs the next operator nothing.',
  'A link opens what its sender saw: view, time, filters and selection.',
] as const;

/** The help on the page of the map: it has the keys of that page. */
export function HelpSheet({ open, onOpenChange, topic }: HelpSheetProps) {
  const [{ singleKeys, hintsSeen }, change] = usePreferences();
  const { version } = useLookout().server;
  return (
    <HelpDialog open={open} onOpenChange={onOpenChange} topic={topic} version={version} singleKeys={singleKeys}>
      {hintsSeen.length > 0 && (
        <Button
          className="self-start"
          onClick={() => {
            change({ hintsSeen: [] });
            onOpenChange(false);
          }}
        >
          Show the first hints again
        </Button>
      )}
    </HelpDialog>
  );
}

interface HelpDialogProps extends HelpSheetProps {
  readonly version: string;
  readonly singleKeys: boolean;
  readonly children?: ReactNode;
}

/**
 * The help: topics, every key, every mark, and what Lookout promises, with a search over all of them.
 * @param topic where it opens
 */
export function HelpDialog({ open, onOpenChange, topic, version, singleKeys, children }: HelpDialogProps) {
  const [wanted, setWanted] = useState('');
  const search = useRef<HTMLInputElement>(null);
  const text = wanted.trim();
  const has = (...texts: readonly string[]) => isFound(text, ...texts);
  const topics = HELP_TOPICS.map(({ id, title, lines }) => ({
    id,
    title,
    lines: has(title) ? lines : lines.filter((line) => has(title, line)),
  })).filter(({ lines }) => lines.length > 0);
  const marks = [...SYMBOL_EXAMPLES, ...CONFIDENCE_EXAMPLES].filter(({ name, meaning }) => has('marks', name, meaning));
  const promises = PROMISES.filter((promise) => has('promises', promise));
  const hasKeys = [...SHORTCUTS, ...POINTER_AND_TABLE].some(({ shown, meaning }) => has('keys', shown, meaning));
  const isEmpty = topics.length + marks.length + promises.length === 0 && !hasKeys;
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Help"
      description={`This is Lookout ${version}.`}
      initialFocus={search}
    >
      <div className="flex flex-col gap-6">
        <div className="sticky -top-4 z-10 -mx-4 -mt-4 flex flex-col gap-2 border-line border-b bg-surface px-4 py-3">
          <input
            ref={search}
            type="search"
            aria-label="Search the help"
            placeholder="Search the help"
            value={wanted}
            autoComplete="off"
            onChange={({ target }) => setWanted(target.value)}
            className="h-9 w-full rounded-control border border-edge bg-background px-3 placeholder:text-dim phone:h-11"
          />
          {text === '' && <TopicLinks topic={open ? topic : undefined} />}
        </div>
        {isEmpty && <p role="status">Nothing in the help has “{text}”.</p>}
        {topics.map(({ id, title, lines }) => (
          <HelpSection key={id} id={id} title={title}>
            <ul className="flex list-disc flex-col gap-1 pl-5">
              {lines.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </HelpSection>
        ))}
        {hasKeys && (
          <HelpSection id="keys" title="Keys">
            {!singleKeys && <p className="text-dim">Single-letter keys are off; switch them on in the View tab.</p>}
            <KeyList has={has} />
          </HelpSection>
        )}
        {marks.length > 0 && (
          <HelpSection id="marks" title="Marks">
            <dl className="grid grid-cols-2 gap-x-6 gap-y-2 phone:grid-cols-1">
              {marks.map(({ name, meaning, mark }) => (
                <div key={name} className="grid grid-cols-[48px_1fr] items-center gap-x-3">
                  <dt className="contents font-medium">
                    <span className="row-span-2 flex justify-center">{mark}</span>
                    <span className="font-medium">{name}</span>
                  </dt>
                  <dd className="text-caption text-dim">{meaning}</dd>
                </div>
              ))}
            </dl>
          </HelpSection>
        )}
        {promises.length > 0 && (
          <HelpSection id="promises" title="What Lookout promises">
            <ul className="flex list-disc flex-col gap-1 pl-5">
              {promises.map((promise) => (
                <li key={promise}>{promise}</li>
              ))}
            </ul>
          </HelpSection>
        )}
        {children}
      </div>
    </Dialog>
  );
}

function sectionId(topic: HelpTopic): string {
  return `help-${topic}`;
}

interface HelpSectionProps {
  readonly id: HelpTopic;
  readonly title: string;
  readonly children: ReactNode;
}

function HelpSection({ id, title, children }: HelpSectionProps) {
  return (
    <section id={sectionId(id)} aria-label={title} className="flex scroll-mt-28 flex-col phone:scroll-mt-36 gap-2">
      <h3 className="font-semibold">{title}</h3>
      {children}
    </section>
  );
}

const SECTIONS: readonly { readonly id: HelpTopic; readonly title: string }[] = [
  ...HELP_TOPICS,
  { id: 'keys', title: 'Keys' },
  { id: 'marks', title: 'Marks' },
  { id: 'promises', title: 'Promises' },
];

function show(topic: HelpTopic): void {
  document.getElementById(sectionId(topic))?.scrollIntoView({ block: 'start' });
}

/** Jumps to the sections, and at first to the topic of the page. */
function TopicLinks({ topic }: { readonly topic: HelpTopic | undefined }) {
  useEffect(() => {
    if (topic !== undefined) show(topic);
  }, [topic]);
  return (
    <nav
      aria-label="Topics"
      className="flex flex-wrap gap-x-3 gap-y-1 phone:flex-nowrap phone:overflow-x-auto phone:whitespace-nowrap"
    >
      {SECTIONS.map(({ id, title }) => (
        <button
          key={id}
          type="button"
          onClick={() => show(id)}
          className="rounded-control text-caption text-dim underline underline-offset-2 hover:text-text phone:min-h-11"
        >
          {title}
        </button>
      ))}
    </nav>
  );
}

const TITLES: Readonly<Record<ShortcutGroup, string>> = {
  map: 'Map',
  track: 'Track',
  replay: 'Replay',
  page: 'Page',
};

/** Keys of the table and of pointers: the list of shortcuts has them, too. */
const POINTER_AND_TABLE = [
  {
    shown: '↑↓',
    meaning: 'In the table: move; Enter selects, Shift+Enter adds or removes; on a header it sorts by a second column',
  },
  {
    shown: 'Shift',
    meaning: 'With a click on a mark or row: adds or removes it. With a drag on the map: adds all marks in the box',
  },
];

/** Shortcuts by group, with the letters of the operator's keyboard where the browser reports them. */
function KeyList({ has }: { readonly has: (...texts: readonly string[]) => boolean }) {
  const ownLetter = useOwnLetters();
  const groups = SHORTCUT_GROUPS.map((group) => ({
    group,
    rows: [
      ...SHORTCUTS.filter((shortcut) => shortcut.group === group).map(({ keys, shown, meaning }) => ({
        shown: shownWith(ownLetter(keys[0] ?? ''), shown),
        meaning,
      })),
      ...(group === 'track' ? POINTER_AND_TABLE : []),
    ].filter(({ shown, meaning }) => has('keys', shown, meaning)),
  })).filter(({ rows }) => rows.length > 0);
  return (
    <div className="grid grid-cols-2 gap-x-6 gap-y-4 phone:grid-cols-1">
      {groups.map(({ group, rows }) => (
        <section key={group}>
          <h4 className="mb-1.5 text-caption font-semibold text-dim">{TITLES[group]}</h4>
          <dl className="flex flex-col gap-1.5">
            {rows.map(({ shown, meaning }) => (
              <KeyRow key={meaning} meaning={meaning}>
                {shown}
              </KeyRow>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}

function shownWith(own: string | undefined, shown: string): string {
  return own === undefined ? shown : `${own} · ${shown}`;
}

function KeyRow({ meaning, children }: { readonly meaning: string; readonly children: ReactNode }) {
  return (
    <div className="flex items-center gap-3">
      <dt className="flex w-[88px] shrink-0">
        <Key>{children}</Key>
      </dt>
      <dd>{meaning}</dd>
    </div>
  );
}

/** Only Chromium has the Keyboard API. */
interface KeyboardLayouts {
  readonly getLayoutMap?: () => Promise<ReadonlyMap<string, string>>;
}

/** @returns an upper-case letter; `undefined` where it is Latin or not reported */
function useOwnLetters(): (key: string) => string | undefined {
  const [layout, setLayout] = useState<ReadonlyMap<string, string>>();
  useEffect(() => {
    const { keyboard } = navigator as Navigator & { readonly keyboard?: KeyboardLayouts };
    let isLeft = false;
    keyboard?.getLayoutMap?.().then(
      (map) => {
        if (!isLeft) setLayout(map);
      },
      // A framed page may not read it: the help then shows Latin letters.
      () => undefined,
    );
    return () => {
      isLeft = true;
    };
  }, []);
  return (key) => {
    const position = positionOf(key);
    const typed = position === undefined ? undefined : layout?.get(position);
    return typed !== undefined && isNonLatin(typed) ? typed.toUpperCase() : undefined;
  };
}
