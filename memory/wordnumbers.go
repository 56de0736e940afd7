package memory

import (
	"strconv"
	"strings"
	"sync"
)

// unitLists has the words for a unit, the first of which stands for all. They
// count as units only after a number.
const unitLists = `ms millisecond milliseconds millisekunde millisekunden milisegundo milisegundos
s sec secs second seconds sek sekunde sekunden segundo segundos
min mins minute minutes minuten minuto minutos
h hr hrs hour hours stunde stunden std hora horas
d day days tag tage tagen dia dias
week weeks woche wochen semana semanas
month months monat monate monaten mes meses
year years jahr jahre jahren ano anos
kb kilobyte kilobytes
mb megabyte megabytes
gb gigabyte gigabytes gigas
tb terabyte terabytes
kib
mib
gib
hz hertz
khz
mhz
ghz
% percent prozent
px pixel pixels pixeles
m meter meters metre metres metern metros
km kilometer kilometers kilometre kilometres kilometern kilometros
mm millimeter millimeters
kg kilogram kilograms kilo kilos
uhr o'clock
am
pm
utc
cet
cest
degrees degree grad grados
eur euro euros
usd dollar dollars dolares
mbit
gbit
v volt volts
w watt watts
rpm
fps
dpi`

var units = sync.OnceValue(func() map[string]string {
	all := make(map[string]string)
	for line := range strings.Lines(unitLists) {
		words := strings.Fields(line)
		for _, word := range words {
			all[word] = words[0]
		}
	}
	return all
})

// numberLists are the words for numbers, from zero on, and then those of a few
// round ones. An article is no number.
var numberLists = map[string][2]string{
	English: {
		"zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
		"20 twenty 30 thirty 40 forty 50 fifty 60 sixty 70 seventy 80 eighty 90 ninety 100 hundred 1000 thousand",
	},
	German: {
		"null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn",
		"20 zwanzig 30 dreissig 40 vierzig 50 funfzig 60 sechzig 70 siebzig 80 achtzig 90 neunzig 100 hundert 1000 tausend",
	},
	Spanish: {
		"cero - dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete dieciocho diecinueve",
		"20 veinte 30 treinta 40 cuarenta 50 cincuenta 60 sesenta 70 setenta 80 ochenta 90 noventa 100 cien 1000 mil",
	},
}

// numberIn returns the number that a word is, in one form, and the unit that is
// written to it: "07:00" is "7:00", "1,000" is "1000", "30s" is 30 seconds.
func numberIn(word string) (number, unit string, ok bool) {
	end := 0
	for end < len(word) && (isDigit(word[end]) || strings.IndexByte(".,:", word[end]) >= 0 && end > 0 && end+1 < len(word) && isDigit(word[end+1])) {
		end++
	}
	if end == 0 || !isDigit(word[0]) {
		return "", "", false
	}
	number, rest := word[:end], strings.ToLower(word[end:])
	switch rest {
	case "", "%":
	case "st", "nd", "rd", "th": // the 1st of a month is its 1.
		rest = ""
	default:
		if _, known := units()[rest]; !known {
			return "", "", false
		}
	}
	if strings.Count(number, ".") > 1 || strings.Count(number, ":") > 2 {
		return number, "", rest == ""
	}
	if whole, thousands, found := strings.Cut(number, ","); found && len(thousands) == 3 && len(whole) <= 3 {
		number = whole + thousands
	}
	if len(number) > 1 && number[0] == '0' && strings.Contains(number, ":") {
		number = number[1:]
	}
	return number, units()[rest], true
}

// numberKey is the form of a number with its unit. A time of day is one
// however it is written: "07:00", "7 Uhr" and "7 am".
func numberKey(number, unit string) string {
	clock := strings.Contains(number, ":")
	switch unit {
	case "am", "uhr":
		clock, unit = true, ""
	case "pm":
		hour, rest, _ := strings.Cut(number, ":")
		if n, err := strconv.Atoi(hour); err == nil && n < 12 {
			number = strings.TrimSuffix(strconv.Itoa(n+12)+":"+rest, ":")
		}
		clock, unit = true, ""
	}
	if clock {
		number = "clock " + strings.TrimSuffix(number, ":00")
	}
	return strings.TrimSpace(number + " " + unit)
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }
