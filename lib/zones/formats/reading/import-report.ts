import { type ImportAnswers, type ImportQuestion, QUESTIONS, type QuestionId } from '../import-question.ts';
import type { ImportProblem } from '../import-result.ts';

const PROBLEMS_LISTED = 100;
const PLACES_LISTED = 20;

/** Parsers report and continue, so that all problems are listed at once. */
export class ImportReport {
  readonly answers: ImportAnswers;
  readonly problems: ImportProblem[] = [];
  problemCount = 0;
  readonly #asked = new Map<QuestionId, { places: string[]; count: number }>();
  readonly #leftOut = new Map<string, number>();

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

  /** @param what in the plural, such as `pictures on the ground` */
  leaveOut(what: string, count = 1): void {
    this.#leftOut.set(what, (this.#leftOut.get(what) ?? 0) + count);
  }

  add(part: ImportReport): void {
    this.problemCount += part.problemCount;
    this.problems.push(...part.problems.slice(0, PROBLEMS_LISTED - this.problems.length));
    for (const [id, { places, count }] of part.#asked) this.#open(id, places, count);
    for (const [what, count] of part.#leftOut) this.leaveOut(what, count);
  }

  questions(): readonly ImportQuestion[] {
    return Array.from(this.#asked, ([id, asked]) => ({ id, ...QUESTIONS[id], ...asked }));
  }

  leftOut(): readonly string[] {
    return Array.from(
      this.#leftOut,
      ([what, count]) => `${count} ${count === 1 ? what.replace(/s( |$)/, '$1') : what}`,
    );
  }

  #open(id: QuestionId, places: readonly string[], count: number): void {
    const asked = this.#asked.get(id) ?? { places: [], count: 0 };
    asked.count += count;
    asked.places.push(...places.slice(0, PLACES_LISTED - asked.places.length));
    this.#asked.set(id, asked);
  }
}
