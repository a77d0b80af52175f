import { type ImportAnswers, type ImportQuestion, QUESTIONS, type QuestionId } from '../import-question.ts';
import type { ImportNotes, ImportProblem } from '../import-result.ts';

const PROBLEMS_LISTED = 100;
const PLACES_LISTED = 20;

/** Parsers report and continue, so that all problems are listed at once. */
export class ImportReport implements ImportNotes {
  readonly answers: ImportAnswers;
  readonly problems: ImportProblem[] = [];
  readonly leftOut: string[] = [];
  readonly changed: string[] = [];
  problemCount = 0;
  readonly #asked = new Map<QuestionId, { places: string[]; count: number }>();

  constructor(answers: ImportAnswers) {
    this.answers = answers;
  }

  problem(place: string, problem: string): undefined {
    this.problemCount += 1;
    if (this.problems.length < PROBLEMS_LISTED) this.problems.push({ place, problem });
  }

  /** `undefined` while the question is open. */
  ask<Id extends QuestionId>(id: Id, place: string): ImportAnswers[Id] {
    const answer = this.answers[id];
    if (answer === undefined) this.#open(id, [place], 1);
    return answer;
  }

  /** @param what the content that becomes no zone, such as `has no geometry` */
  leaveOut(place: string, what: string): undefined {
    this.leftOut.push(`${place}: ${what}`);
  }

  /** @param what is read otherwise than it is written, and how */
  change(place: string, what: string): void {
    this.changed.push(`${place}: ${what}`);
  }

  add(part: ImportReport): void {
    this.problemCount += part.problemCount;
    this.problems.push(...part.problems.slice(0, PROBLEMS_LISTED - this.problems.length));
    for (const [id, { places, count }] of part.#asked) this.#open(id, places, count);
    for (const each of part.leftOut) this.leftOut.push(each);
    for (const each of part.changed) this.changed.push(each);
  }

  questions(): readonly ImportQuestion[] {
    return Array.from(this.#asked, ([id, asked]) => ({ id, ...QUESTIONS[id], ...asked }));
  }

  #open(id: QuestionId, places: readonly string[], count: number): void {
    const asked = this.#asked.get(id) ?? { places: [], count: 0 };
    asked.count += count;
    asked.places.push(...places.slice(0, PLACES_LISTED - asked.places.length));
    this.#asked.set(id, asked);
  }
}
