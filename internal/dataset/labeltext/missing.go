package labeltext

// MissingWords are how programs write that there is no value, in tables and in files of objects.
var MissingWords = []string{"", "NA", "N/A", "NaN", "nan", "-nan", "None", "<NA>", "null", "NULL",
	"#N/A", ".", "-", "?", `\N`}
