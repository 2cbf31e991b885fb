-- Regular expressions: BigQuery and DuckDB both use RE2. The compiler counts the groups of a literal pattern and passes the group
-- to extract. Macros whose names end in _by count the groups of a pattern that is not a literal.
create macro bq.capture_groups(p) as
  list_transform(
    [
      regexp_replace(
        regexp_replace(
          p,
          '(?s)\\Q.*?(?:\\E|\z)|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]',
          '_',
          'g'
        ),
        '\(\?[^P<]',
        '',
        'g'
      )
    ],
    lambda v: length(v) - length(replace(v, '(', ''))
  )[1];

-- The pattern, or NULL if it is not valid: of DuckDB's functions, regexp_extract alone finds nothing then instead of failing, unless
-- the pattern is a constant.
create macro bq.valid_pattern(p) as
  case when regexp_extract('x', case when random() < 2 then 'x|' || p end) = 'x' then p end;

create macro bq.regexp_first(s, p, g) as
  list_transform(
    [s],
    lambda v: case
      when regexp_extract(v, p, g) <> '' then regexp_extract(v, p, g)
      else regexp_extract_all(v, p, g)[1]
    end
  )[1];

create macro bq.regexp_all(s, p, g) as list_transform(regexp_extract_all(s, p, g), lambda x: coalesce(x, ''));

create macro bq.regexp_all_empty(s, p, g) as
  list_transform(
    [s],
    lambda v: case
      when v <> '' and regexp_extract_all(v, p, 0)[-1] = '' then bq.regexp_all(v, p, g)[:-2]
      else bq.regexp_all(v, p, g)
    end
  )[1];

-- Any pattern: one with an anchor may match the empty text at the end of a text.
create macro bq.regexp_all_any(s, p, g) as
  case
    when regexp_matches(p, '[\^$]|\\[bBAz]') or not regexp_full_match('', p) then bq.regexp_all(s, p, g)
    else bq.regexp_all_empty(s, p, g)
  end;

create macro bq.regexp_all_by(s, p) as
  list_transform(
    [{s: s, p: p}],
    lambda r: case
      when r.p is null then null
      when bq.capture_groups(r.p) = 0 then bq.regexp_all_any(r.s, r.p, 0)
      when bq.capture_groups(r.p) = 1 then bq.regexp_all_any(r.s, r.p, 1)
      when r.s is null then null
      else cast(
        bq.fail_string(
          'Regular expressions passed into extraction functions must not have more than 1 capturing group'
        ) as varchar[]
      )
    end
  )[1];

create macro bq.regexp_from(s, p) as
  list_transform(
    [{s: s, p: p}],
    lambda r: case
      when r.s is null then null
      when r.p < 1 then bq.fail_string('Position must be positive')
      when r.p = 1 then r.s
      when r.p <= length(r.s) then substring(r.s, r.p)
    end
  )[1];

create macro bq.occurrence(n) as
  list_transform(
    [n],
    lambda v: case when v < 1 then bq.fail_int64('Occurrence must be positive') else v end
  )[1];

create macro bq.regexp_nth(l, n) as
  list_transform([l], lambda v: case when v is not null then list_extract(v, bq.occurrence(n)) end)[1];

create macro bq.regexp_refs(r) as strlen(r) - strlen(replace(r, '\', ''));

create macro bq.regexp_grows(s, p, r) as
  len(regexp_extract_all(s, p)) * (strlen(r) - 2 * bq.regexp_refs(r)) > 1000000
  or bq.regexp_refs(r) * strlen(bq.join(regexp_extract_all(s, p), '')) > 4000000;

create macro bq.regexp_replace(s, p, r) as
  list_transform(
    [{s: s, r: r}],
    lambda x: case
      when (strlen(x.s) + 1) * strlen(x.r) > 1000000 and bq.regexp_grows(x.s, p, x.r)
        then bq.fail_string('REGEXP_REPLACE: exceeded maximum output length')
      else regexp_replace(x.s, p, x.r, 'g')
    end
  )[1];

create macro bq.regexp_replace_bounded(s, p, r) as
  list_transform(
    [bq.regexp_replace(s, p, r)],
    lambda v: case
      when strlen(v) > 1000000 then bq.fail_string('REGEXP_REPLACE: exceeded maximum output length')
      else v
    end
  )[1];

-- The replacement of REGEXP_REPLACE. Each backslash in it must be followed by a backslash or by a digit: the number of a group, or 0
-- for the match.
create macro bq.regexp_rewrite(p, r) as
  list_transform(
    [{r: r, p: p, n: list_max(list_transform(regexp_extract_all(r, '(?s)\\(.?)', 1), lambda x: try_cast(x as bigint)))}],
    lambda v: case
      when regexp_full_match(v.r, '(?s)(?:[^\\]|\\[\d\\])*\\')
        then bq.fail_string(
          'Invalid REGEXP_REPLACE pattern: Rewrite schema error: ''\'' not allowed at end.'
        )
      when not regexp_full_match(v.r, '(?s)(?:[^\\]|\\[\d\\])*')
        then bq.fail_string(
          'Invalid REGEXP_REPLACE pattern: Rewrite schema error: ''\'' must be followed by a digit or ''\''.'
        )
      when v.n > bq.capture_groups(v.p)
        then bq.fail_string(
          'Invalid REGEXP_REPLACE pattern: Rewrite schema requests '
          || cast(v.n as varchar)
          || ' matches, but the regexp only has '
          || cast(bq.capture_groups(v.p) as varchar)
          || ' parenthesized subexpressions.'
        )
      else v.r
    end
  )[1];

create macro bq.regexp_replace_by(s, p, r) as
  case
    when s is not null and p is not null then bq.regexp_replace_bounded(s, p, bq.regexp_rewrite(p, r))
  end;

create macro bq.regexp_place(s, p, n, at_end) as
  list_transform(
    [{s: s, n: n, at_end: at_end}],
    lambda r: case
      when r.n > len(regexp_extract_all(r.s, p, 0)) then 0
      else 1
      + length(bq.join(string_split_regex(r.s, p)[1:r.n], ''))
      + length(bq.join(regexp_extract_all(r.s, p, 0)[1:r.n - 1], ''))
      + case when r.at_end then length(regexp_extract_all(r.s, p, 0)[r.n]) else 0 end
    end
  )[1];

-- The position of group 2 of the n-th match, which begins with group 1; 0 if the group is no part of the match
create macro bq.regexp_group_place(s, p, n, at_end) as
  list_transform(
    [{s: s, n: n, at_end: at_end}],
    lambda r: case
      when r.n > len(regexp_extract_all(r.s, p, 0)) or regexp_extract_all(r.s, p, 2)[r.n] is null then 0
      else bq.regexp_place(r.s, p, r.n, false)
      + length(regexp_extract_all(r.s, p, 1)[r.n])
      + case when r.at_end then length(regexp_extract_all(r.s, p, 2)[r.n]) else 0 end
    end
  )[1];

-- TRUE, or an error if a number is not valid
create macro bq.regexp_instr_valid(start, n, at_end) as
  case
    when start < 1 then bq.fail_bool('Position must be positive')
    when n < 1 then bq.fail_bool('Occurrence must be positive')
    when at_end not in (0, 1) then bq.fail_bool('Invalid value for occurrence_position: it must be 0 or 1')
    else true
  end;

-- The arguments of REGEXP_INSTR; NULL if one of them is NULL or, with SAFE, not valid
create macro bq.regexp_instr_arguments(s, p, start, n, at_end) as
  case
    when s is not null and p is not null and start is not null and n is not null and at_end is not null
      then case
        when bq.regexp_instr_valid(start, n, at_end)
          then {s: bq.regexp_from(s, start), start: start, n: n, at_end: at_end = 1}
      end
  end;

-- The place in the whole text. After its end there is none, but an invalid pattern still fails.
create macro bq.regexp_instr_place(r, p, place) as
  case
    when r is null then null
    when r.s is null then 0 * cast(regexp_matches('', p) as bigint)
    else list_transform([place], lambda v: case when v = 0 then 0 else v + r.start - 1 end)[1]
  end;

create macro bq.regexp_instr(s, p, start, n, at_end) as
  list_transform(
    [bq.regexp_instr_arguments(s, p, start, n, at_end)],
    lambda r: bq.regexp_instr_place(r, p, bq.regexp_place(r.s, p, r.n, r.at_end))
  )[1];

create macro bq.regexp_instr_group(s, p, start, n, at_end) as
  list_transform(
    [bq.regexp_instr_arguments(s, p, start, n, at_end)],
    lambda r: bq.regexp_instr_place(r, p, bq.regexp_group_place(r.s, p, r.n, r.at_end))
  )[1];

create macro bq.regexp_instr_by(s, p, start, n, at_end) as
  list_transform(
    [{s: s, p: p, start: start, n: n, at_end: at_end}],
    lambda q: case
      when q.s is null or q.start is null or q.n is null or q.at_end is null then null
      when bq.capture_groups(q.p) > 0
        then bq.fail_int64('REGEXP_INSTR is not supported with a capturing group')
      when q.p = ''
        then case when bq.regexp_instr(q.s, q.p, q.start, q.n, q.at_end) is not null then 0 end
      else bq.regexp_instr(q.s, q.p, q.start, q.n, q.at_end)
    end
  )[1];
