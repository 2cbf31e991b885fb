-- String functions: https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions
-- A macro that needs an argument twice makes it the parameter of a lambda over a list of one element. Repeating it would double
-- the size of nested calls at each level. DuckDB's own array_to_string repeats its argument: use bq.join instead.
create macro bq.join(a, separator) as list_transform([a], lambda v: array_to_string(v, separator))[1];
create macro bq.at_most(v) as case when v > 4000000000 then 4000000000 else v end;

create macro bq.not_negative(n, message) as
  list_transform([n], lambda v: case when v < 0 then bq.fail_int64(message) else bq.at_most(v) end)[1];

create macro bq.ascii(s) as
  list_transform(
    [s],
    lambda v: case
      when v = '' then 0
      when ascii(v) > 127 then bq.fail_int64('Argument to ASCII is not a structurally valid ASCII string')
      else cast(ascii(v) as bigint)
    end
  )[1];

create macro bq.byte_ascii(s) as
  list_transform([s], lambda v: case when v = '' then 0 else cast(ascii(v) as bigint) end)[1];

create macro bq.code_point(n) as
  list_transform(
    [n],
    lambda v: case
      when v < 0 or v > 1114111 or v between 55296 and 57343 then bq.fail_string('Invalid codepoint ' || v)
      else chr(cast(v as integer))
    end
  )[1];

create macro bq.chr(n) as case when n = 0 then '' else bq.code_point(n) end;

create macro bq.byte_hex(n) as
  list_transform(
    [n],
    lambda v: case
      when v not between 0 and 255 then bq.fail_string('Invalid ASCII value ' || v)
      else printf('%02x', v)
    end
  )[1];

create macro bq.code_points_to_bytes(a) as
  list_transform(
    [list_transform(a, lambda c: bq.byte_hex(c))],
    lambda v: case when list_count(v) = len(v) then unhex(bq.join(v, '')) end
  )[1];

create macro bq.code_points_to_string(a) as
  list_transform(
    [list_transform(a, lambda c: bq.code_point(c))],
    lambda v: case when list_count(v) = len(v) then bq.join(v, '') end
  )[1];

create macro bq.characters(s) as list_sort(list_distinct(string_split(s, '')));

create macro bq.as_ascii(s, alphabet) as
  translate(
    s,
    bq.join(alphabet, ''),
    bq.join(list_transform(range(1, len(alphabet) + 1), lambda i: chr(cast(i as integer))), '')
  );

create macro bq.edit_distance(a, b) as
  list_transform(
    [{a: a, b: b}],
    lambda r: case
      when length(r.a) * length(r.b) > 100000000
        then bq.fail_int64('EDIT_DISTANCE takes texts of at most 10,000 characters')
      when strlen(r.a) = length(r.a) and strlen(r.b) = length(r.b) then levenshtein(r.a, r.b)
      when len(bq.characters(r.a || r.b)) > 127
        then bq.fail_int64('EDIT_DISTANCE takes at most 127 different characters')
      else levenshtein(
        bq.as_ascii(r.a, bq.characters(r.a || r.b)),
        bq.as_ascii(r.b, bq.characters(r.a || r.b))
      )
    end
  )[1];

create macro bq.no_further(distance, maximum) as
  list_transform(
    [{d: distance, m: bq.not_negative(maximum, 'max_distance must not be negative')}],
    lambda r: case when r.m is null then null when r.d > r.m then r.m else r.d end
  )[1];

create macro bq.initcap(s, delimiters) as
  list_transform(
    [{d: delimiters, cs: string_split(s, '')}],
    lambda r: case
      when r.d is not null
        then bq.join(
          list_transform(
            r.cs,
            lambda c, i: case
              when contains(r.d, c) then c
              when i = 1 or contains(r.d, r.cs[i - 1]) then case when c = 'ß' then c else upper(c) end
              else lower(c)
            end
          ),
          ''
        )
    end
  )[1];

create macro bq.instr_places(s, t, p) as
  list_filter(
    range(
      case when p > 0 then p else 1 end,
      case
        when p > 0 then length(s) + 2 - length(t)
        else least(length(s) + p + case when t = '' then 2 else 1 end, length(s) + 1 - length(t)) + 1
      end
    ),
    lambda i: substring(s, i, length(t)) = t
  );

create macro bq.instr_start(p) as
  list_transform([p], lambda v: case when v < -4000000000 then -4000000000 else bq.at_most(v) end)[1];

create macro bq.instr(s, t, p, n) as
  list_transform(
    [{s: s, t: t, p: bq.instr_start(p), n: n}],
    lambda r: case
      when r.n < 1 then bq.fail_int64('Occurrence must be positive')
      when r.p = 0 then bq.fail_int64('Position must be non-zero')
      when r.s is null or r.t is null or r.p is null or r.n is null then null
      when r.p > length(r.s) + 1 or -r.p > length(r.s) + 1 then 0
      else coalesce(
        case
          when r.p > 0 then bq.instr_places(r.s, r.t, r.p)[r.n]
          else list_reverse(bq.instr_places(r.s, r.t, r.p))[r.n]
        end,
        0
      )
    end
  )[1];

create macro bq.ascii_lower(s) as translate(s, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz');
create macro bq.ascii_upper(s) as translate(s, 'abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ');

create macro bq.left(s, n) as
  case
    when s is not null then substring(s, 1, bq.not_negative(n, 'Second argument in LEFT() cannot be negative'))
  end;

create macro bq.right(s, n) as
  case
    when s is not null then right(s, bq.not_negative(n, 'Second argument in RIGHT() cannot be negative'))
  end;

create macro bq.pad_length(n) as
  list_transform(
    [n],
    lambda v: case
      when v < 0 then bq.fail_int64('Second argument (output size) for LPAD/RPAD cannot be negative')
      when v > 1000000 then bq.fail_int64('Output of LPAD/RPAD exceeds max allowed output size of 1MB')
      else v
    end
  )[1];

create macro bq.pad_pattern(p) as
  list_transform(
    [p],
    lambda v: case
      when v = '' then bq.fail_string('Third argument (pad pattern) for LPAD/RPAD cannot be empty')
      else v
    end
  )[1];

create macro bq.lpad(s, n, p) as
  case
    when s is not null and n is not null and p is not null
      then lpad(s, cast(bq.pad_length(n) as integer), bq.pad_pattern(p))
  end;

create macro bq.rpad(s, n, p) as
  case
    when s is not null and n is not null and p is not null
      then rpad(s, cast(bq.pad_length(n) as integer), bq.pad_pattern(p))
  end;

create macro bq.repeat(s, n) as
  list_transform(
    [{s: s, n: n}],
    lambda r: case
      when r.s is null then null
      when r.n < 0 then bq.fail_string('Second argument (repeat count) for REPEAT cannot be negative')
      when r.s = '' and r.n is not null then ''
      when cast(r.n as hugeint) * strlen(r.s) > 1000000
        then bq.fail_string('Output of REPEAT exceeds max allowed output size of 1MB')
      else repeat(r.s, r.n)
    end
  )[1];

create macro bq.replace(s, a, b) as
  list_transform(
    [{s: s, a: a, b: b}],
    lambda r: case
      when strlen(r.b) > strlen(r.a)
        and strlen(r.s) + (strlen(r.s) - strlen(replace(r.s, r.a, ''))) // strlen(r.a) * (
            strlen(r.b) - strlen(r.a)
          ) > 1000000
      then bq.fail_string('Output of REPLACE exceeds max allowed output size of 1MB')
      else replace(r.s, r.a, r.b)
    end
  )[1];

create macro bq.reverse(s) as bq.join(list_reverse(string_split(s, '')), '');
create macro bq.soundex_digits(s) as translate(upper(s), 'BFPVCGJKQSXZDTLMNRAEIOUYHW', '111122222222334556');

create macro bq.soundex(s) as
  list_transform(
    [regexp_replace(s, '[^A-Za-z]', '', 'g')],
    lambda v: case
      when v = '' then ''
      else v[1]
      || left(
          substring(
              regexp_replace(bq.soundex_digits(v), '(1)1+|(2)2+|(3)3+|(4)4+|(5)5+|(6)6+', '\1\2\3\4\5\6', 'g'),
              case when bq.soundex_digits(v[1]) = '' then 1 else 2 end
            )
          || '000',
          3
        )
    end
  )[1];

create macro bq.split(s, d) as
  list_transform([{s: s, d: d}], lambda r: case when r.d is not null then string_split(r.s, r.d) end)[1];

create macro bq.substr_start(n, p) as
  case when p > 0 then least(p, 4000000000) when p = 0 or p < -n then 1 else n + p + 1 end;

create macro bq.substr(s, p, n) as
  list_transform(
    [{s: s, p: p}],
    lambda r: case
      when r.s is not null and r.p is not null
        then substring(
          r.s,
          bq.substr_start(length(r.s), r.p),
          bq.not_negative(n, 'Third argument in SUBSTR() cannot be negative')
        )
    end
  )[1];

create macro bq.to_code_points(s) as
  list_transform(regexp_extract_all(s, '(?s).'), lambda c: cast(unicode(c) as bigint));

create macro bq.translate(s, a, b) as
  case
    when s is not null and b is not null
      then translate(
        s,
        list_transform(
          [a],
          lambda v: case
            when v <> '' and list_unique(string_split(v, '')) < length(v)
              then bq.fail_string('Duplicate character in TRANSLATE source characters')
            else v
          end
        )[1],
        b
      )
  end;

create macro bq.unicode(s) as
  list_transform([s], lambda v: case when v = '' then 0 else cast(unicode(v) as bigint) end)[1];

create macro bq.wildcards(p) as regexp_replace(p, '(?s)\\.|[^%_]', '', 'g');
create macro bq.max_wildcards(w) as case when contains(w, '%') and contains(w, '_') then 64 else 512 end;

create macro bq.like_pattern(p) as
  list_transform(
    [p],
    lambda v: case
      when length(v) - length(translate(v, '%_', '')) > 64
        and length(bq.wildcards(v)) > bq.max_wildcards(bq.wildcards(v))
      then bq.fail_string('A LIKE pattern has at most ' || bq.max_wildcards(bq.wildcards(v)) || ' wildcards')
      when ends_with(v, '\') and regexp_full_match(v, '(?s)(?:[^\\]|\\.)*\\')
        then bq.fail_string('LIKE pattern ends with a backslash')
      else v
    end
  )[1];

-- Text analysis: https://cloud.google.com/bigquery/docs/reference/standard-sql/text-analysis-functions
-- A word that a text must have to match a search query; '' if the query is more than words.
create macro bq.search_word(q) as
  case
    when regexp_full_match(q, '[A-Za-z0-9]+(?: [A-Za-z0-9]+)*')
      and not regexp_matches(q, '\b(?:AND|OR|NOT|IN|NEAR)\b')
    then lower(regexp_extract(q, '[A-Za-z0-9]+\z'))
    else ''
  end;

create macro bq.search_lacks(t, q) as not contains(lower(t), bq.search_word(q));

-- The places where a sorted list has another word than before
create macro bq.word_places(s) as
  list_filter(range(1, len(s) + 1), lambda i: i = 1 or s[i] is distinct from s[i - 1]);

create macro bq.bag_of_words(l) as
  list_transform(
    [list_sort(l)],
    lambda s: list_transform(
      [bq.word_places(s)],
      lambda p: list_transform(p, lambda b, i: {term: s[b], count: coalesce(p[i + 1], len(s) + 1) - b})
    )[1]
  )[1];
