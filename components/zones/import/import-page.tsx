'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { useLookout, usePreferences } from '#lib/client/page/lookout-context.tsx';
import { presetRule } from '#lib/client/zones/zone-draft.ts';
import { addZones, ZONES_KEY } from '#lib/client/zones/zones-query.ts';
import type { Bbox } from '#lib/geo/bbox.ts';
import { wrapLongitude } from '#lib/geo/longitude.ts';
import type { ImportAnswers, ImportedZone, ImportQuestion, ZoneImport } from '#lib/zones/formats/import-report.ts';
import { shapeBounds } from '#lib/zones/shape-outline.ts';
import { Button } from '../../ui/button.tsx';
import { FIELD } from '../../ui/form-fields.tsx';
import { SwitchRow } from '../../ui/switch-row.tsx';
import { zoneProblem } from '../zone-changes.ts';
import { shapeText, verticalText } from '../zone-text.ts';

const LISTED_MAX = 200;

interface ImportPageProps {
  readonly file: ImportedFile;
  readonly onDone: (sentence: string) => void;
  readonly onCancel: () => void;
}

/**
 * The import of a file: what is wrong with it, what an operator has to say about it, and a preview before anything is saved.
 * A file is imported whole or not at all.
 */
export function ImportPage({ file, onDone, onCancel }: ImportPageProps) {
  const [limits, setLimits] = useState<ImportLimits>({ answers: {} });
  const [result, setResult] = useState<ZoneImport>();
  const { mapView } = useLookout();
  const id = useId();
  useEffect(() => {
    let isLeft = false;
    setResult(undefined);
    readZoneFile(file, limits).then(
      (read) => !isLeft && setResult(read),
      () =>
        !isLeft &&
        setResult({ kind: 'problems', problems: [{ place: 'The file', problem: 'could not be read' }], total: 1 }),
    );
    return () => {
      isLeft = true;
    };
  }, [file, limits]);
  const { visible } = mapView.get();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3 py-3">
      <h3 id={id} className="px-4 font-semibold [overflow-wrap:anywhere]">
        Import {file.name}
      </h3>
      {!result && (
        <p role="status" className="px-4 text-dim">
          Reading the file…
        </p>
      )}
      {result?.kind === 'problems' && <Problems {...result} />}
      {result?.kind === 'questions' && (
        <ImportQuestions
          questions={result.questions}
          onAnswered={(answers) => setLimits({ ...limits, answers: { ...limits.answers, ...answers } })}
        />
      )}
      {result?.kind === 'too_many' && (
        <div className="flex flex-col gap-2 px-4">
          <p>The file has {result.count} zones, more than Lookout keeps. Move the map to the zones that you need.</p>
          <Button
            look="primary"
            disabled={visible === undefined}
            onClick={() => setLimits({ ...limits, withinBbox: mapView.get().visible })}
          >
            Only zones in the map’s view
          </Button>
        </div>
      )}
      {result?.kind === 'zones' && <Preview {...result} onDone={onDone} />}
      <div className="px-4">
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </section>
  );
}

export interface ImportedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly importedAt: string;
}

interface ImportLimits {
  readonly answers: ImportAnswers;
  /** Imports only zones that touch it. */
  readonly withinBbox?: Bbox | undefined;
}

/** Reads a file in this page, which loads the readers with the first one. */
async function readZoneFile(
  { name, bytes, importedAt }: ImportedFile,
  { answers, withinBbox }: ImportLimits,
): Promise<ZoneImport> {
  const { importZones } = await import('#lib/zones/formats/import-zones.ts');
  const parseXml = (xml: string) => new DOMParser().parseFromString(xml, 'text/xml');
  return importZones({ file: { bytes, parseXml }, name, importedAt, answers, ...(withinBbox && { withinBbox }) });
}

function Problems({ problems, total }: Extract<ZoneImport, { kind: 'problems' }>) {
  return (
    <div role="alert" className="flex flex-col gap-2 px-4">
      <p className="font-semibold text-bad">
        {total === 1 ? '1 error' : `${total} errors`}; nothing was imported. A file is imported whole or not at all.
      </p>
      <ol className="flex max-h-96 flex-col gap-1 overflow-y-auto">
        {problems.slice(0, LISTED_MAX).map(({ place, problem }) => (
          <li key={`${place} ${problem}`}>
            <span className="font-medium">{place}:</span> {problem}
          </li>
        ))}
      </ol>
      {total > LISTED_MAX && <p className="text-dim">and {total - LISTED_MAX} more</p>}
    </div>
  );
}

interface PreviewProps extends Extract<ZoneImport, { kind: 'zones' }> {
  readonly onDone: (sentence: string) => void;
}

function Preview({ drafts, leftOut, changed, onDone }: PreviewProps) {
  const { zones, operator, mapCommands } = useLookout();
  const [{ units }] = usePreferences();
  const queries = useQueryClient();
  const [shared, setShared] = useState(true);
  const [hasRule, setHasRule] = useState(true);
  useEffect(() => {
    zones.preview.set(drafts.map(({ shape }) => shape));
    const box = boundsOf(drafts);
    if (box) mapCommands.run({ kind: 'show-box', bbox: box });
    return () => zones.preview.set([]);
  }, [drafts, zones, mapCommands]);
  const { mutate, isPending, error } = useMutation<void, Error>({
    mutationFn: () =>
      addZones(
        drafts.map((draft) => ({
          ...draft,
          shared,
          rules: draft.rules.length > 0 ? [...draft.rules] : hasRule ? [presetRule('site')] : [],
          landmark: null,
          history_requests_a_day: 0,
        })),
      ),
    onSuccess: () => onDone(`Imported ${countText(drafts.length)}.`),
    onSettled: () => queries.invalidateQueries({ queryKey: ZONES_KEY }),
    networkMode: 'always',
  });
  const problem = error && zoneProblem(error);
  return (
    <>
      <p className="px-4">{countText(drafts.length)}, shown on the map. Names are kept.</p>
      <ul className="max-h-72 divide-y divide-line overflow-y-auto border-line border-y">
        {drafts.slice(0, LISTED_MAX).map(({ name, shape, vertical }) => (
          <li key={name} className="px-4 py-1">
            <span className="block font-medium">{name}</span>
            <span className="block text-caption text-dim">
              {shapeText(shape, units)} · {verticalText(vertical, units)}
            </span>
          </li>
        ))}
        {drafts.length > LISTED_MAX && <li className="px-4 py-1 text-dim">and {drafts.length - LISTED_MAX} more</li>}
      </ul>
      <Notes title="Left out, so not watched" notes={leftOut} />
      <Notes title="Read otherwise than written" notes={changed} />
      <div className="flex flex-col gap-2 px-4">
        <SwitchRow
          label="Alarm when entered"
          note="By drones, for zones without rules of their own. Without a rule, a zone is shown only."
          checked={hasRule}
          onChange={setHasRule}
        />
        {operator !== undefined && <SwitchRow label="Shared" checked={shared} onChange={setShared} />}
        {problem && (
          <p role="alert" className="text-bad">
            Nothing was imported. {[problem.general, ...Object.values(problem.fields)].filter(Boolean).join('; ')}
          </p>
        )}
        <Button look="primary" className="self-start" disabled={isPending} onClick={() => mutate()}>
          {isPending ? `Saving ${countText(drafts.length)}…` : `Import ${countText(drafts.length)}`}
        </Button>
      </div>
    </>
  );
}

function Notes({ title, notes: all }: { readonly title: string; readonly notes: readonly string[] }) {
  const notes = [...new Set(all)];
  if (notes.length === 0) return null;
  return (
    <details open className="px-4">
      <summary className="font-medium text-warning phone:py-3">
        {title}: {notes.length}
      </summary>
      <ul className="flex max-h-48 flex-col gap-1 overflow-y-auto pt-1 [overflow-wrap:anywhere]">
        {notes.slice(0, LISTED_MAX).map((each) => (
          <li key={each}>{each}</li>
        ))}
        {notes.length > LISTED_MAX && <li className="text-dim">and {notes.length - LISTED_MAX} more</li>}
      </ul>
    </details>
  );
}

function countText(count: number): string {
  return count === 1 ? '1 zone' : `${count} zones`;
}

function boundsOf(drafts: readonly ImportedZone[]) {
  const all = drafts.map(({ shape }) => shapeBounds(shape));
  if (all.length === 0) return undefined;
  return {
    west: wrapLongitude(Math.min(...all.map(({ west }) => west))),
    south: Math.min(...all.map(({ south }) => south)),
    east: wrapLongitude(Math.max(...all.map(({ east }) => east))),
    north: Math.max(...all.map(({ north }) => north)),
  };
}

interface ImportQuestionsProps {
  readonly questions: readonly ImportQuestion[];
  readonly onAnswered: (answers: ImportAnswers) => void;
}

function ImportQuestions({ questions, onAnswered }: ImportQuestionsProps) {
  const [answers, setAnswers] = useState<Readonly<Record<string, string>>>({});
  const isAnswered = questions.every(({ id }) => (answers[id] ?? '').trim() !== '');
  return (
    <form
      className="flex flex-col gap-3 px-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (isAnswered) onAnswered(answersOf(questions, answers));
      }}
    >
      {questions.map((question) => {
        const { id, text, places, count, choices, free } = question;
        const set = (value: string) => setAnswers({ ...answers, [id]: value });
        return (
          <fieldset key={id} className="flex flex-col gap-1">
            <legend className="font-medium">{text}</legend>
            <p className="text-caption text-dim">
              {places.join('; ')}
              {count > places.length && ` and ${count - places.length} more`}
            </p>
            {choices.map(({ value, label }) => (
              <label key={value} className="flex items-center gap-2 phone:min-h-11">
                <input
                  type="radio"
                  name={id}
                  value={value}
                  checked={answers[id] === value}
                  onChange={() => set(value)}
                />
                {label}
              </label>
            ))}
            {free !== null && (
              <input
                aria-label={free === 'metres' ? 'Length in metres' : 'Time zone'}
                placeholder={free === 'metres' ? 'Metres, such as 500' : 'Europe/Zurich'}
                value={choices.some(({ value }) => value === answers[id]) ? '' : (answers[id] ?? '')}
                autoComplete="off"
                onChange={(event) => set(event.target.value)}
                className={FIELD}
              />
            )}
          </fieldset>
        );
      })}
      <Button type="submit" look="primary" className="self-start" disabled={!isAnswered}>
        Continue
      </Button>
    </form>
  );
}

function answersOf(questions: readonly ImportQuestion[], answers: Readonly<Record<string, string>>): ImportAnswers {
  return Object.fromEntries(
    questions.map(({ id, choices, free }) => {
      const text = (answers[id] ?? '').trim();
      const isChoice = choices.some(({ value }) => value === text);
      return [id, !isChoice && free === 'metres' ? Number(text.replace(',', '.')) : text];
    }),
  ) as ImportAnswers;
}
