#include "CUsherCurl.h"
