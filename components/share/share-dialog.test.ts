import { describe, expect, it } from 'vitest';
import { copyOutcomeText, linkMeaning } from './share-dialog.tsx';

const replay =
  'https://lookout.example/?view=47,8,9&at=2026-11-21T10:15:00Z&from=2026-11-21T10:00:00Z&to=2026-11-21T10:30:00Z';

describe('linkMeaning', () => {
  it('says that a live link shows another moment, and a replay the same one', () => {
    expect(linkMeaning('https://lookout.example/?view=47,8,9', false)).toEqual([
      'Opens this place live, with the positions received at that time, not with those you see now.',
    ]);
    expect(linkMeaning(replay, false)[0]).toContain('Opens this replay at 2026-11-21 10:15:00Z');
  });

  it('says who can open it', () => {
    expect(linkMeaning('https://lookout.example/', true)[1]).toContain('who sign in');
    for (const host of ['localhost', '127.0.0.1:3000', '[::1]:3000'])
      expect(linkMeaning(`http://${host}/`, false)[1]).toContain('this computer only');
    expect(linkMeaning('http://10.0.0.7:3000/', false)).toHaveLength(1);
  });
});

describe('copyOutcomeText', () => {
  it('never claims a copy that was refused or is not known', () => {
    expect(copyOutcomeText('copied')).toBe('Link copied.');
    expect(copyOutcomeText('refused')).toContain('The link is selected');
    expect(copyOutcomeText(undefined)).toBe('');
  });
});
