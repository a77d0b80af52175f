import { describe, expect, it } from 'vitest';
import { COLOURINGS } from '#lib/model/mark-colour.ts';
import { colouringText } from './colouring-text.ts';

describe('colouringText', () => {
  it('names what each kind is coloured by, with both ends of its scale and its unit', () => {
    expect(COLOURINGS.map((colouring) => colouringText(colouring, 'aviation'))).toEqual([
      'Coloured by aircraft altitude 0 to 40000 ft and drone height above ground 0 to 500 ft; grey: not reported',
      'Coloured by aircraft height above ground 0 to 40000 ft and drone height above ground 0 to 500 ft; grey: not reported',
      'Coloured by aircraft speed 0 to 600 kt and drone speed 0 to 60 kt; grey: not reported',
      'Coloured by age 0 to 60 s, from bright to dark',
      'Coloured by confidence label',
      'Coloured by kind',
    ]);
  });
});
