-- Redaction: IPv4, IPv6 and e-mail addresses in a text become REDACTED.
-- When the macros are created, each pii_..._pattern macro is replaced by its text: building a pattern in each call takes longer
-- than reading a log.
--
-- RE2 has no look-around, so a text with escapes is marked first. The marks are noncharacters of Unicode, which are reserved for
-- internal use; those in the text itself become U+FFFD. An escaped @ . : ' + or " is enclosed in FDD0 and FDD1. Every other
-- escape of JSON, and every escape in a URL of a character that no address contains, is enclosed in two FDD2, so that no address
-- begins with a letter of an escape or touches it.
-- The characters before an IP address are matched and written back. After an IPv6 address \b and \B look ahead without matching;
-- they only know ASCII, so bq.pii_fence puts a z before each letter beyond ASCII. After an IPv4 address one or two characters are
-- matched. They may belong to the next address, so a second pass finds every other address. Letters beyond ASCII are listed as
-- ranges because compiling \p{L} takes longer than reading a log.
create macro bq.pii_beyond() as
  '\x{AA}\x{B5}\x{BA}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{2FF}\x{370}-\x{386}\x{388}-\x{5BD}\x{5C4}-\x{60B}\x{620}-\x{669}\x{66E}-\x{6D3}\x{6D5}-\x{963}\x{966}-\x{E4E}\x{E50}-\x{1FFF}\x{2C00}-\x{2DFF}\x{3005}-\x{3007}\x{3041}-\x{D7FF}\x{F900}-\x{FD3D}\x{FD50}-\x{FDCF}\x{FDF0}-\x{FE0F}\x{FE70}-\x{FEFC}\x{FF10}-\x{FF19}\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A}\x{FF66}-\x{FFDC}\x{10000}-\x{1EFFF}\x{20000}-\x{3FFFF}';

-- The signs that begin and end an escape, also if it is escaped once more, as in %2540, \\u0040, %5Cu0040 and %26%2364%3B
create macro bq.pii_escape_signs(pattern) as
  replace(
    replace(
      replace(
        replace(
          replace(pattern, 'SLASH', '(?:\\+|PERCENT5[Cc])'),
          'AMPERSAND',
          '(?:&|\\+[ux](?:00)?26|PERCENT26)(?:(?:amp|#38|#[xX]26)SEMICOLON)*'
        ),
        'HASH',
        '(?:#|PERCENT23)'
      ),
      'SEMICOLON',
      '(?:;|PERCENT3[Bb])'
    ),
    'PERCENT',
    '(?:%|\\+[ux](?:00)?25)(?:25)*'
  );

-- The escapes of a character in JSON, in a URL and in HTML, by its code and its name
create macro bq.pii_escaped(hex, number, name) as
  bq.pii_escape_signs(
    '(?:(?:SLASH(?:u00|x)|PERCENT(?:u00)?)(?:'
    || hex
    || ')|AMPERSAND(?:HASH(?:0*(?:'
    || number
    || ')|[xX]0*(?:'
    || hex
    || '))SEMICOLON?|'
    || name
    || 'SEMICOLON))'
  );

-- A text with such an escape has this too: a hint may find too much, and a short one is compiled faster.
create macro bq.pii_either(plain, ends) as
  '(?:' || plain || '|[%&\\][!-~]*(?:' || ends || ')(?:;|[%\\][%\\ux0-5]*3[Bb])?)';

create macro bq.pii_hints(pattern) as
  replace(
    replace(
      replace(pattern, 'AT', bq.pii_either('[@\x{FF20}]', '40|64|commat')),
      'DOT',
      bq.pii_either('\.', '2[Ee]|46|period')
    ),
    'COLON',
    bq.pii_either(':', '3[Aa]|58|colon')
  );

-- Every address contains one of these hints; every IPv6 address contains a hint of the second kind.
create macro bq.pii_hint_of_ipv6() as 'COLON{2}|(?:[0-9A-Fa-f]{1,4}COLON){6}';

create macro bq.pii_hint_pattern() as
  bq.pii_hints('AT|[0-9]DOT[0-9]{1,3}DOT[0-9]{1,3}DOT[0-9]|' || bq.pii_hint_of_ipv6());

create macro bq.pii_ipv6_hint_pattern() as bq.pii_hints(bq.pii_hint_of_ipv6());

create macro bq.pii_odd_pattern() as '[%&\\\x{FDD0}-\x{FDD2}]';

create macro bq.pii_escaped_pattern() as
  bq.pii_escaped('2[27Ee]|3[Aa]|40', '34|39|4[36]|58|64', '(?:apos|colon|commat|period|plus|quot)')
  || bq.pii_escape_signs('|(?:SLASH(?:u00|x)|PERCENTu00)2[Bb]|AMPERSANDHASH[xX]0*2[Bb]SEMICOLON?|\\+"');

-- An escape that is marked already is matched as a whole.
create macro bq.pii_barrier_pattern() as
  bq.pii_escape_signs(
    '\x{FDD0}[!-~]*\x{FDD1}|\\+[bfnrt]|(?:\\+(?:u00|x)|PERCENTu00)(?:[013-9A-Fa-f][0-9A-Fa-f]|2[0-46-9A-Fa-f])|(?:\\+|PERCENT)u(?:0[1-9A-Fa-f]|[1-9A-Fa-f][0-9A-Fa-f])[0-9A-Fa-f]{2}|PERCENT(?:0[9ADad]|2[0134689ACFacf]|3[B-Fb-f]|5[B-Eb-e]|60|7[B-Eb-e])'
  );

create macro bq.pii_unmark(x, instead) as regexp_replace(x, '[\x{FDD0}-\x{FDD2}]', instead, 'g');

create macro bq.pii_mark_escapes(x) as
  regexp_replace(
    bq.pii_unmark(x, chr(65533)),
    bq.pii_escaped_pattern(),
    chr(64976) || '\0' || chr(64977),
    'g'
  );

create macro bq.pii_mark(x) as
  case
    when regexp_matches(x, bq.pii_odd_pattern())
      then replace(
        replace(
          regexp_replace(
            bq.pii_mark_escapes(x),
            bq.pii_barrier_pattern(),
            chr(64978) || '\0' || chr(64978),
            'g'
          ),
          chr(64978) || chr(64976),
          chr(64976)
        ),
        chr(64977) || chr(64978),
        chr(64977)
      )
    else x
  end;

-- Patterns are written with these words in capitals. The end of an escape shows which character is escaped; NODOT is the end of
-- an escape of any character except a dot.
create macro bq.pii_ending(ends) as '(?:' || ends || ')(?:;|[%\\][%\\ux0-5]*3[Bb])?\x{FDD1}';
create macro bq.pii_marked(ends) as '\x{FDD0}[!-~]*' || bq.pii_ending(ends);

create macro bq.pii_signs(pattern) as
  replace(
    replace(
      replace(
        replace(
          replace(
            replace(pattern, 'AT', '(?:[@\x{FF20}]|' || bq.pii_marked('40|64|mat') || ')'),
            'NODOT',
            bq.pii_ending('40|64|mat|3[Aa]|58|lon|22|34|uot|27|2[Bb]|39|43|pos|lus|"')
          ),
          'DOT',
          '(?:\.|' || bq.pii_marked('2[Ee]|46|iod') || ')'
        ),
        'COLON',
        '(?::|' || bq.pii_marked('3[Aa]|58|lon') || ')'
      ),
      'INNER',
      '(?:[''\x{2019}]|' || bq.pii_marked('27|2[Bb]|39|43|pos|lus') || ')'
    ),
    'QUOTE',
    bq.pii_marked('22|34|uot|"')
  );

create macro bq.pii_classes(pattern) as
  replace(replace(bq.pii_signs(pattern), 'HEX', '[0-9A-Fa-f]{1,4}'), 'LETTER', '0-9A-Za-z' || bq.pii_beyond());

-- Names in e-mail addresses may contain combining accents.
create macro bq.pii_names(pattern) as
  bq.pii_classes(
    replace(
      replace(pattern, 'LABEL', 'a-zA-Z\x{300}-\x{36F}' || bq.pii_beyond()),
      'NAME',
      'LETTER\x{300}-\x{36F}'
    )
  );

-- IP addresses
create macro bq.pii_octet() as '(?:25[0-5]|2[0-4][0-9]|[01]?[0-9]{1,2})';
create macro bq.pii_ipv4() as '(?:' || bq.pii_octet() || 'DOT){3}' || bq.pii_octet();
create macro bq.pii_zone() as '(?:(?:%\w+|\x{FDD2}%[0-9]+\x{FDD2})(?:(?:[-~%]|DOT)\w+)*)?';

create macro bq.pii_ipv6() as
  '(?:HEX(?:COLONHEX){7}\b|COLON(?:COLONHEX){1,7}\b|HEXCOLON(?:(?:COLONHEX){1,6}\b|COLON\B)|(?:HEXCOLON){2}(?:(?:COLONHEX){1,5}\b|COLON\B)|(?:HEXCOLON){3}(?:(?:COLONHEX){1,4}\b|COLON\B)|(?:HEXCOLON){4}(?:(?:COLONHEX){1,3}\b|COLON\B)|(?:HEXCOLON){5}(?:(?:COLONHEX){1,2}\b|COLON\B)|(?:HEXCOLON){6}(?:COLONHEX\b|COLON\B)|(?:HEXCOLON){7}COLON\B)';

create macro bq.pii_ipv6_before_ipv4() as
  '(?:(?:HEXCOLON){6}|COLONCOLON(?:HEXCOLON){0,5}|HEXCOLONCOLON(?:HEXCOLON){0,4}|(?:HEXCOLON){2}COLON(?:HEXCOLON){0,3}|(?:HEXCOLON){3}COLON(?:HEXCOLON){0,2}|(?:HEXCOLON){4}COLON(?:HEXCOLON)?|(?:HEXCOLON){5}COLON)';

create macro bq.pii_fence_pattern() as '([0-9A-Fa-f:]|' || bq.pii_ending('3[Aa]|58|lon') || ')(z*[' || bq.pii_beyond() || '])';
create macro bq.pii_fence(x) as regexp_replace(x, bq.pii_fence_pattern(), '\1z\2', 'g');
create macro bq.pii_unfence_pattern() as '([0-9A-Fa-f:]|' || bq.pii_ending('3[Aa]|58|lon') || ')z(z*[' || bq.pii_beyond() || '])';
create macro bq.pii_unfence(x) as regexp_replace(x, bq.pii_unfence_pattern(), '\1\2', 'g');

create macro bq.pii_ipv4_pattern() as
  bq.pii_classes(
    '(^DOT?|[^LETTER.\x{FDD1}]|NODOT|[^0-9]DOT)'
    || bq.pii_ipv4()
    || '($|[^LETTER.\x{FDD0}]|\x{FDD0}[!-~]*NODOT|DOT$|DOT[^0-9])'
  );

create macro bq.redact_ipv4_once(x) as regexp_replace(x, bq.pii_ipv4_pattern(), '\1REDACTED\2', 'g');
create macro bq.redact_ipv4(x) as bq.redact_ipv4_once(bq.redact_ipv4_once(x));

create macro bq.pii_mapped_pattern() as
  bq.pii_classes(
    '(^DOT?|[^LETTER_.\x{FDD1}]|NODOT|[^0-9]DOT)'
    || bq.pii_ipv6_before_ipv4()
    || bq.pii_ipv4()
    || '\b'
    || bq.pii_zone()
  );

create macro bq.redact_mapped(x) as regexp_replace(x, bq.pii_mapped_pattern(), '\1REDACTED', 'g');
create macro bq.pii_groups_pattern() as bq.pii_classes('(^|[^LETTER_])' || bq.pii_ipv6() || bq.pii_zone());
create macro bq.redact_groups(x) as regexp_replace(x, bq.pii_groups_pattern(), '\1REDACTED', 'g');

-- A quoted local part of an e-mail address. In JSON a string is followed by one of , : ] } and a quote before @ begins a string,
-- as in {"a":"@b.co"}; neither is part of a local part. A local part contains at most two @: an unlimited number would take time
-- quadratic in the length of the text.
create macro bq.pii_quoted_with(inside) as
  replace('(?:[^\x00-\x20,:;\]}=&%"\\@\x{FF20}\x{FDD0}-\x{FDD2}]|DOT)INSIDE*(?:ATINSIDE*){0,2}', 'INSIDE', inside);

create macro bq.pii_inside() as '2[Ee]|46|iod|3[Aa]|58|lon|27|2[Bb]|39|43|pos|lus';

create macro bq.pii_quoted() as
  '(?:"'
  || bq.pii_quoted_with('(?:[^\x00-\x1F"@\x{FF20}\x{FDD0}]|' || bq.pii_marked(bq.pii_inside() || '|22|34|uot|"') || ')')
  || '"|QUOTE'
  || bq.pii_quoted_with('(?:[^\x00-\x1F"@\x{FF20}\x{FDD0}]|' || bq.pii_marked(bq.pii_inside()) || ')')
  || 'QUOTE)';

create macro bq.pii_local() as '(?:(?:(?:[NAME._%+-]|DOT)INNER*)+|' || bq.pii_quoted() || ')';

-- Addresses that touch are redacted as one: the character matched after them cannot begin another.
create macro bq.pii_email_pattern() as
  bq.pii_names(
    replace(
      bq.pii_local() || 'HOST(?:(?:INNER*|' || bq.pii_local() || ')HOST)*($|[^NAME])',
      'HOST',
      'AT(?:[NAME_-]+DOT)+[LABEL]+'
    )
  );

create macro bq.redact_emails(x) as regexp_replace(x, bq.pii_email_pattern(), 'REDACTED\1', 'g');

create macro bq.redact_ipv6(x) as
  bq.pii_unfence(bq.redact_groups(bq.redact_ipv4(bq.redact_mapped(bq.pii_fence(x)))));

-- FALSE only for a text that redaction does not change
create macro bq.may_hold_address(x) as regexp_matches(x, bq.pii_hint_pattern());

-- The engine calls regexp_extract once for each text of a dictionary, but regexp_matches once for each row.
create macro bq.redact(x) as
  case
    when regexp_extract(x, bq.pii_hint_pattern()) = '' then x
    else bq.pii_unmark(
      bq.redact_emails(
        bq.redact_ipv4(
          case
            when regexp_matches(x, bq.pii_ipv6_hint_pattern()) then bq.redact_ipv6(bq.pii_mark(x))
            else bq.pii_mark(x)
          end
        )
      ),
      ''
    )
  end;

create macro bq.redact_bytes(x) as
  list_transform(
    [{bytes: x, text: bq.safe_bytes_to_string(x)}],
    lambda r: case when r.text is null then r.bytes else encode(bq.redact(r.text)) end
  )[1];

-- JSON text as tokens: a string before a colon is a key and stays; any other string that may contain personal data is unescaped
-- and redacted.
create macro bq.redact_json_token(t) as
  case
    when t[1] = '"' and t[-1] = '"' and regexp_matches(t, '\\u|' || bq.pii_hint_pattern())
      then cast(to_json(bq.redact(json_extract_string(t, '$'))) as varchar)
    else t
  end;

create macro bq.redact_json_text(x) as
  bq.join(
    list_transform(
      regexp_extract_all(x, '"(?:[^"\\]|\\.)*"(?:\s*:)?|[^"]+'),
      lambda t: bq.redact_json_token(t)
    ),
    ''
  );

create macro bq.redact_json(j) as
  case
    when regexp_matches(cast(j as varchar), '\\u|' || bq.pii_hint_pattern())
      then cast(bq.redact_json_text(cast(j as varchar)) as json)
    else j
  end;

-- The JSON text of a row, whose keys are harmless, is redacted as one text, unless an escape may look like the beginning of an
-- address, as in "\b::1" or "\n@b.co".
create macro bq.redact_row(x) as
  case
    when not regexp_matches(x, bq.pii_hint_pattern()) then x
    when regexp_matches(x, '\\[^"]') then bq.redact_json_text(x)
    else bq.redact(x)
  end;
