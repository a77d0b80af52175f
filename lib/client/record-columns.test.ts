import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyRecord, plainRecord } from '../../scripts/test/arbitrary-record.ts';
import { columnBuffers, recordColumns } from './record-columns.ts';

const numberFields = {
  altitudeM: 'altitude_m',
  heightAglM: 'height_agl_m',
  speedMps: 'speed_mps',
  headingDeg: 'heading_deg',
  confidenceScore: 'confidence_score',
  receiverCount: 'receiver_count',
} as const;

describe('recordColumns', () => {
  test('null becomes NaN and zero stays zero, in every column', () => {
    fc.assert(
      fc.property(fc.array(anyRecord), (records) => {
        const columns = recordColumns(records);
        for (const [column, field] of Object.entries(numberFields)) {
          const values = columns[column as keyof typeof numberFields];
          expect([...values]).toEqual(records.map((record) => record[field as 'altitude_m'] ?? Number.NaN));
        }
      }),
    );
  });

  test('labels come back as they were, and "not reported" as no label', () => {
    fc.assert(
      fc.property(fc.array(anyRecord), (records) => {
        const { labels, confidence, emergency } = recordColumns(records);
        expect([...confidence].map((index) => labels[index] ?? null)).toEqual(records.map((r) => r.confidence));
        expect([...emergency].map((index) => labels[index] ?? null)).toEqual(records.map((r) => r.emergency_state));
      }),
    );
  });

  test('an empty label is a label that was reported', () => {
    const { labels, confidence } = recordColumns([{ ...plainRecord, confidence: '' }]);
    expect(labels[confidence[0] as number]).toBe('');
  });

  test('hands over the buffer of every column, each once', () => {
    const columns = recordColumns([plainRecord, plainRecord]);
    const views = Object.values(columns).filter((value) => ArrayBuffer.isView(value));
    expect(new Set(columnBuffers(columns))).toEqual(new Set(views.map((view) => view.buffer)));
    expect(columnBuffers(columns)).toHaveLength(views.length);
  });
});
