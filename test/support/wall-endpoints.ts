/** An endpoint of which the engine gathers rows before a caller's query reads them. */
export const gathered =
  'with web as (select * from `logs.web` where project is not null order by timestamp desc) select id from web';

/** An endpoint that returns every row: nothing is gathered. */
export const ungathered =
  'with web as (select * from `logs.web` order by timestamp desc) select id from web';
