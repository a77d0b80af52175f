'use client';

import { useState } from 'react';
import type { ImportAnswers, ImportQuestion } from '#lib/zones/formats/import-report.ts';
import { Button } from '../../ui/button.tsx';
import { FIELD } from '../form-parts.tsx';

export interface ImportQuestionsProps {
  readonly questions: readonly ImportQuestion[];
  readonly onAnswered: (answers: ImportAnswers) => void;
}

export function ImportQuestions({ questions, onAnswered }: ImportQuestionsProps) {
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
