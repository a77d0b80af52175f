import { clockText, dateTimeText } from '#lib/model/clock-text.ts';
import { KIND_TEXT } from '#lib/model/layer-kind.ts';
import { ANSWER_NOTICE, type IncidentAnswer } from './answer.ts';
import { AREA_NOT_LOADED } from './answer-csv.ts';
import { tagsOf, trackCells } from './track-cells.ts';

export function AnswerText({ answer }: { readonly answer: IncidentAnswer }) {
  const { question, verdicts, completeness, tracks, crossings, place, units, zone } = answer;
  return (
    <div className="answer-text" data-testid="answer">
      <section aria-label="Question">
        {question.map((line) => (
          <p key={line}>{line}</p>
        ))}
      </section>
      <section aria-label="Verdict">
        {verdicts.map(({ kind, headline, details }) => (
          <p key={kind}>
            <strong>{headline}</strong> {details.join(' ')}
          </p>
        ))}
      </section>
      <section aria-label="What was complete">
        <h2>What was complete</h2>
        {completeness.layers.map(({ layer, sentence }) => (
          <p key={layer}>{sentence}</p>
        ))}
        {!completeness.isAreaLoaded && <p>{AREA_NOT_LOADED}</p>}
      </section>
      {tracks.length > 0 && (
        <table>
          <caption>Tracks received: {tracks.length}</caption>
          <thead>
            <tr>
              <th scope="col">Reference</th>
              <th scope="col">Kind</th>
              <th scope="col">First</th>
              <th scope="col">Last</th>
              <th scope="col">Height above ground</th>
              <th scope="col">Altitude (reference not stated)</th>
              {place !== undefined && <th scope="col">Nearest to {place}</th>}
              <th scope="col">Positions</th>
            </tr>
          </thead>
          <tbody>
            {tracks.map((track) => {
              const cells = trackCells(track, units, zone);
              return (
                <tr key={track.ref}>
                  <td>{track.ref}</td>
                  <td>{[KIND_TEXT[track.kind], ...cells.tags].join(' · ')}</td>
                  <td>{cells.first}</td>
                  <td>{cells.last}</td>
                  <td>{cells.height}</td>
                  <td>{cells.altitude}</td>
                  {place !== undefined && <td>{cells.nearest}</td>}
                  <td>{track.positions}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      )}
      {crossings.length > 0 && (
        <section aria-label="Not known">
          <h2>Not known</h2>
          <p>
            No position of these was received inside. The line between two successive received positions touches the
            area.
          </p>
          <ul>
            {crossings.map((crossing) => (
              <li key={crossing.ref}>
                {[KIND_TEXT[crossing.kind], ...tagsOf(crossing)].join(' · ')} {crossing.ref}: between{' '}
                {clockText(crossing.from, zone)} and {clockText(crossing.to, zone)}
              </li>
            ))}
          </ul>
        </section>
      )}
      <p>{ANSWER_NOTICE}</p>
      <p>
        Made {dateTimeText(answer.madeAt, zone)}
        {answer.operator === undefined ? '' : ` by ${answer.operator}`}.
      </p>
    </div>
  );
}
